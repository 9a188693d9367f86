import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { composedAttempt, generatedRunNamed } from '../generated/attempts.ts'
import { lostTarget, type TargetResult } from '../verdicts.ts'

/**
 * Runs targets in a number of processes that stay warm. A process prefers targets whose comparison it has
 * recorded, then those of which no other process has one. If a process dies, its target is reported as an
 * internal error.
 */
export async function runInPool(
  names: readonly string[],
  processes: number,
  onResult: (result: TargetResult, done: number) => void,
): Promise<TargetResult[]> {
  const queue = names.map((name) => ({ name, comparison: comparisonOf(name) }))
  const results: TargetResult[] = []
  const recorded = new Set<string>()

  function next(own: ReadonlySet<string>): (typeof queue)[number] | undefined {
    const isOwn = queue.findIndex(({ comparison }) => own.has(comparison))
    const isNew = queue.findIndex(({ comparison }) => !recorded.has(comparison))
    const [taken] = queue.splice(isOwn >= 0 ? isOwn : Math.max(isNew, 0), 1)
    return taken
  }

  async function work(): Promise<void> {
    let child = startPart()
    const own = new Set<string>()
    for (let taken = next(own); taken !== undefined; taken = next(own)) {
      own.add(taken.comparison)
      recorded.add(taken.comparison)
      const result = await ask(child, taken.name)
      if (!child.connected) child = startPart()
      results.push(result)
      onResult(result, results.length)
    }
    child.disconnect()
  }

  await Promise.all(Array.from({ length: Math.min(processes, names.length) }, work))
  return results.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
}

/** Name of the runs with which a target is compared in addition to the plain one, or of the target if there are none. */
function comparisonOf(name: string): string {
  const generated = generatedRunNamed(name)
  if (generated !== undefined) return `generated ${generated.depth}`
  const composed = composedAttempt(name)
  return composed === undefined ? name : `composed ${composed.depth}`
}

function startPart(): ChildProcess {
  const extension = import.meta.url.endsWith('.js') ? 'js' : 'ts'
  return fork(fileURLToPath(new URL(`./part.${extension}`, import.meta.url)), { stdio: 'inherit' })
}

async function ask(child: ChildProcess, name: string): Promise<TargetResult> {
  const died = new AbortController()
  const { signal } = died
  const answered = once(child, 'message', { signal }).then(([result]) => result as TargetResult)
  const exited = once(child, 'exit', { signal }).then(([code]) =>
    lostTarget(name, `the process of the proof ended with ${code}`),
  )
  child.send(name)
  try {
    return await Promise.race([answered, exited])
  } finally {
    died.abort()
    answered.catch(() => {})
    exited.catch(() => {})
  }
}
