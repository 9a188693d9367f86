import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { crossingNamed } from '../crossed/crossings.ts'
import { lostTarget, type TargetResult } from '../verdicts.ts'
import { crossedAttempt } from './attempts.ts'
import { controlKey } from './controls.ts'

/**
 * Runs targets in a number of processes that stay warm. Crossings of one dialect run in the same process,
 * because they share a control. If a process dies, its target is reported as an internal error.
 */
export async function runInPool(
  names: readonly string[],
  processes: number,
  onResult: (result: TargetResult, done: number) => void,
): Promise<TargetResult[]> {
  const queue = [...Map.groupBy(names, processKey).values()]
  const results: TargetResult[] = []

  async function work(): Promise<void> {
    let child = startPart()
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      for (const name of group) {
        const result = await ask(child, name)
        if (child.exitCode !== null) child = startPart()
        results.push(result)
        onResult(result, results.length)
      }
    }
    child.disconnect()
  }

  await Promise.all(Array.from({ length: Math.min(processes, names.length) }, work))
  return results.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
}

function processKey(name: string): string {
  const crossing = crossingNamed(name)
  if (crossing === undefined) return name
  return controlKey(crossing.dialect, crossedAttempt(crossing).selection)
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
