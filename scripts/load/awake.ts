/**
 * Keeps every CPU from halting while something is measured: a spinning process of the lowest priority
 * on each. A CPU that halts between two reads, above all a virtual one, wakes up late and with cold caches,
 * which distorts the figure: the same reader costs half as much again.
 */
import { spawn, spawnSync } from 'node:child_process'
import { availableParallelism, constants, setPriority } from 'node:os'

/** The processes end with this one. */
export function keepAwake(): void {
  const spinners = Array.from({ length: availableParallelism() }, () => {
    const spinner = spawn(process.execPath, ['--eval', spinning], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    spinner.stdin.on('error', () => {})
    if (spinner.pid !== undefined) yieldToAll(spinner.pid)
    spinner.unref()
    return spinner
  })
  process.once('exit', () => {
    for (const spinner of spinners) spinner.kill('SIGKILL')
  })
}

/** Uses the idle scheduling class of the system if there is one. */
function yieldToAll(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW)
  spawnSync('chrt', ['--idle', '--all-tasks', '--pid', '0', String(pid)])
}

/** Yields at intervals, to notice the end of its parent. */
const spinning = `
  process.stdin.on('end', () => process.exit()).resume()
  const spin = () => {
    for (const until = performance.now() + 50; performance.now() < until; );
    setImmediate(spin)
  }
  spin()
`
