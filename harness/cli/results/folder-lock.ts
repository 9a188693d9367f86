import { existsSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../../contract/json.ts'
import { messageOf } from '../../../contract/text.ts'
import { lockName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { isAlive, startOfProcess } from '../../conformance/process.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'

/** Process that writes into a folder: the text of its lock file. */
const holder = z.object({
  pid: z.int().min(1),
  host: z.string(),
  /** Start of the process in system units, because pids are reused; null if it is unknown. */
  start: z.string().nullable(),
  command: z.string(),
  since: z.string(),
})
type Holder = z.infer<typeof holder>

const held = new Set<string>()
/** Locks in folders that this process created. */
const inNewFolder = new Set<string>()

/**
 * Reserves a folder for this process until it ends or {@link releaseFolders} is called. The lock of a
 * dead process is taken over.
 * @throws ConfigurationError naming the process that writes into the folder; the error of the file system
 */
export function lockFolder(folder: string): void {
  const file = join(folder, lockName)
  const owner = acquire(file)
  if (owner === 'unknown') {
    throw new ConfigurationError([`--out: the folder ${folder} is taken by other runs: try again`])
  }
  if (owner !== undefined) {
    const { pid, host, start } = owner
    if (pid === process.pid && host === hostname() && start === startOfProcess(pid)) return
    throw inUse(folder, file, owner)
  }
  if (held.size === 0) process.once('exit', releaseFolders)
  held.add(file)
}

/** Removes the locks, and folders that this process created and wrote nothing into. */
export function releaseFolders(): void {
  for (const file of held) {
    rmSync(file, { force: true })
    try {
      if (inNewFolder.has(file)) rmdirSync(dirname(file))
    } catch (error) {
      if (!isCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error
    }
  }
  held.clear()
  inNewFolder.clear()
  process.off('exit', releaseFolders)
}

/** Attempts, because several processes may find a stale lock at the same time. */
const maxTries = 25
/** Another process may have created its file, but not written it yet. */
const pauseMs = 20

/** Creates the lock file. Returns undefined, or the running process that has it, if that is known. */
function acquire(file: string): Holder | 'unknown' | undefined {
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (create(file)) return undefined
    const text = readText(file)
    // Undefined if the text is not a lock, or not yet complete.
    const found = holder.safeParse(parseJson(text ?? '')).data
    if (found !== undefined && isRunning(found)) return found
    const isComplete = found !== undefined || tries > maxTries / 2
    if (isComplete && text !== undefined && replaceStale(file, text)) return undefined
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
  }
  return 'unknown'
}

/** Replaces the lock of a dead process under a lock of its own, so that no other process replaces the new one. */
function replaceStale(file: string, text: string): boolean {
  const takeover = `${file}-takeover`
  if (acquire(takeover) !== undefined) return false
  try {
    if (readText(file) !== text) return false
    const own = `${file}-${process.pid}`
    writeFileSync(own, JSON.stringify(self()))
    renameSync(own, file)
    return true
  } finally {
    rmSync(takeover, { force: true })
  }
}

function create(file: string): boolean {
  try {
    writeFileSync(file, JSON.stringify(self()), { flag: 'wx' })
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

function self(): Holder {
  const { pid, argv } = process
  const [command = ''] = argv.slice(2)
  const since = new Date(Date.now() - process.uptime() * 1_000).toISOString()
  return { pid, host: hostname(), start: startOfProcess(pid), command, since }
}

/** A process on another machine or in another container is not visible: it counts as running. */
function isRunning({ pid, host, start }: Holder): boolean {
  return host !== hostname() || (isAlive(pid) && startOfProcess(pid) === start)
}

function inUse(folder: string, file: string, found: Holder): ConfigurationError {
  const { pid, host, command, since } = found
  const isElsewhere = host !== hostname()
  const place = isElsewhere ? ` on ${host}` : ''
  const advice = isElsewhere ? `; if that process is gone, delete ${file}` : ''
  return new ConfigurationError([
    `--out: the folder ${folder} is in use by process ${pid}${place} (chatgen ${command}, since ${since}): wait for it, or choose another folder${advice}`,
  ])
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw new ConfigurationError([`--out: cannot read ${file}: ${messageOf(error)}`])
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/**
 * Creates the folder of --out before anything is sent, and reserves it for this process. Writes a file as a
 * test: permissions say nothing about a read-only file system, or about root.
 * @throws ConfigurationError if the folder cannot be created or written to, or is in use by another run
 */
export function makeOutFolder(folder: string): void {
  let attempt = 'create'
  try {
    if (!existsSync(folder)) inNewFolder.add(join(folder, lockName))
    makeFolder(folder)
    attempt = 'write to'
    lockFolder(folder)
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    const reason = messageOf(error)
    throw new ConfigurationError([`--out: cannot ${attempt} the folder ${folder}: ${reason}`])
  }
}
