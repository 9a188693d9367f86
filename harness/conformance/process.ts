import { readFileSync } from 'node:fs'

/**
 * Start of a process in system units, because ids are reused: field 22 of /proc/PID/stat (proc(5)). Null if it is
 * unknown, as on every system but Linux.
 */
export function startOfProcess(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may contain spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}

/** The environment of this process without the variables whose names match. */
export function environmentWithout(names: RegExp): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.test(name)))
}

/** Tests if there is a process with this id, of any user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
