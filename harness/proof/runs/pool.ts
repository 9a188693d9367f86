import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { lostTarget, type TargetResult } from '../verdicts.ts'

/**
 * Runs targets in so many processes, each of which stays warm. A process that dies takes its target
 * with it, which is then reported as a fault of the kit.
 */
export async function runInPool(
  names: readonly string[],
  processes: number,
  onResult: (result: TargetResult, done: number) => void,
): Promise<TargetResult[]> {
  const queue = [...names]
  const results: TargetResult[] = []

  async function work(): Promise<void> {
    let child = startPart()
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const result = await ask(child, name)
      if (child.exitCode !== null) child = startPart()
      results.push(result)
      onResult(result, results.length)
    }
    child.disconnect()
  }

  await Promise.all(Array.from({ length: Math.min(processes, names.length) }, work))
  return results.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
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
