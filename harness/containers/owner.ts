import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Label of a container that a run started; its value, also the name of a Compose project, names the run. */
export const runLabel = 'chatgen.run'

const pattern = /^chatgen-run-([0-9a-f]{8})-(\d+)-(\d+)$/

/** Name of what this process starts: machine, process id, and when the process started. */
export function runName(pid = process.pid): string {
  return `chatgen-run-${machine()}-${pid}-${startOf(pid) ?? 0}`
}

export type RunState = 'running' | 'ended' | 'elsewhere'

/**
 * State of the process of a run; `elsewhere` if it is one of another machine, which cannot be known.
 * Undefined for a name that is not one of a run.
 */
export function stateOfRun(name: string): RunState | undefined {
  const [, host, pid, start] = pattern.exec(name) ?? []
  if (host === undefined) return undefined
  if (host !== machine()) return 'elsewhere'
  if (!isAlive(Number(pid))) return 'ended'
  const current = startOf(Number(pid))
  return current === undefined || current === start ? 'running' : 'ended'
}

function machine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Start of a process in ticks since boot, which tells a process id that is used again; Linux only. */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may contain spaces.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
