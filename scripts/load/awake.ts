/**
 * Keeps every CPU from halting while something is measured: a spinning process of the lowest priority
 * on each. A CPU that halts between two reads comes back late and with cold caches, above all a virtual
 * one, and then the figure tells of its sleep: the same reader costs half as much again.
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

/** Looks up now and then, whether its parent is still there. */
const spinning = `
  process.stdin.on('end', () => process.exit()).resume()
  const spin = () => {
    for (const until = performance.now() + 50; performance.now() < until; );
    setImmediate(spin)
  }
  spin()
`
