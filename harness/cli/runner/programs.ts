import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { maxTimerMs } from '../../../contract/timer.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { environmentWithout } from '../../conformance/process.ts'
import { temporaryFolder } from '../../conformance/recording/result-files.ts'
import { chatgenBin } from '../../library/chatgen-process.ts'
import { ownVariables } from '../target/target.ts'
import type { PreparedJob, Runner, ShardResult } from './sharded-run.ts'

interface ProgramOptions {
  /** Standard input, which carries what must not stand in arguments: keys. */
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
  /** Interrupts the program. */
  readonly signal?: AbortSignal
  /** Time after which it is killed. */
  readonly timeoutMs?: number
  /** It is chatgen, and ends if this process is killed. */
  readonly isShard?: boolean
}

/**
 * Runs a program, such as kubectl, the client of an engine.
 * @throws ConfigurationError if it is not installed
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { input = '', env = process.env, signal, timeoutMs = 0, isShard }: ProgramOptions = {},
) {
  // Ctrl-C on the terminal reaches it only through this process.
  const options = {
    timeout: Math.min(Math.ceil(timeoutMs), maxTimerMs),
    killSignal: 'SIGKILL',
  } as const
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe', ...(isShard ? (['ipc'] as const) : [])],
    ...{ detached: true, env, ...options },
  }) as ChildProcessWithoutNullStreams
  const stop = () => child.kill('SIGINT')
  signal?.addEventListener('abort', stop, { once: true })
  child.stdin.on('error', () => {}).end(input)
  const closed = once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new ConfigurationError([`--runner: ${program} is not installed on this machine`])
  })
  const output = [text(child.stdout), text(child.stderr)] as const
  const [[code], stdout, stderr] = await Promise.all([closed, ...output])
  signal?.removeEventListener('abort', stop)
  return { code: code as number | null, stdout, stderr: stderr.trim() }
}

/** @throws ConfigurationError with the message of the program if it fails */
export async function requireProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, options)
  if (code === 0) return stdout
  const words = args.slice(0, 2).filter((word) => !word.startsWith('-'))
  const command = [program, ...words].join(' ')
  throw new ConfigurationError([`${command} failed: ${stderr || `exit code ${code}`}`])
}

const maxFailures = 5

/**
 * Polls every `pollMs` whether the shards of a job have ended, until its signal or its timeout.
 * @throws Error if the engine does not answer five times in a row
 */
export async function waitUntil(
  isDone: () => Promise<boolean>,
  { signal, timeoutMs }: Pick<PreparedJob, 'signal' | 'timeoutMs'>,
  pollMs: number,
): Promise<void> {
  const until = performance.now() + timeoutMs
  for (let failures = 0; !signal.aborted && performance.now() < until; ) {
    try {
      if (await isDone()) return
      failures = 0
    } catch (error) {
      failures += 1
      if (failures === maxFailures) throw error
    }
    await delay(pollMs, undefined, { signal }).catch(() => {})
  }
}

/** Runs each shard as a process of this machine. */
export const localRunner: Runner = async (job) => {
  // It contains keys, and a pipeline may publish the folder of the results before it is removed.
  const folder = temporaryFolder('job')
  const file = join(folder, 'job.json')
  try {
    writeFileSync(file, job.text, { mode: 0o600 })
    return await Promise.all(
      Array.from({ length: job.shards }, (_, index) => runShard(job, file, index)),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runShard(job: PreparedJob, file: string, index: number): Promise<ShardResult> {
  const out = join(job.folder, `shard-${index}`)
  const args = shardArgs(job, { file, out, shard: `${index}/${job.shards}` })
  const { code, stdout, stderr } = await runProgram(process.execPath, [chatgenBin, ...args], {
    // They are flags of the whole run, and resolved already.
    env: environmentWithout(ownVariables),
    signal: job.signal,
    timeoutMs: job.timeoutMs,
    isShard: true,
  })
  const reason = stderr.slice(-2000) || `exit code ${code}`
  return { output: stdout.trim() === '' ? null : stdout, reason }
}

/** Command line of a shard. */
export function shardArgs(
  { startAt }: Pick<PreparedJob, 'startAt'>,
  { file, out, shard }: { readonly file: string; readonly out: string; readonly shard?: string },
): string[] {
  const start = startAt.toISOString()
  return [
    ...['load', '--job', file, '--out', out, '--start-at', start, '--quiet', '--json'],
    ...(shard === undefined ? [] : ['--shard', shard]),
  ]
}
