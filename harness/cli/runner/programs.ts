import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { maxTimerMs } from '../../../contract/timer.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { chatgenBin } from '../../library/chatgen-process.ts'
import { withoutFlags } from '../target/target.ts'
import type { PreparedJob, Runner, ShardResult } from './sharded-run.ts'

export interface ProgramOutput {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs the client program of an engine, such as kubectl. Input is passed on standard input, so that its
 * arguments contain no key.
 * @throws ConfigurationError if the program is not installed
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { input = '' }: { readonly input?: string } = {},
): Promise<ProgramOutput> {
  // Ctrl-C on the terminal does not end it.
  const child = spawn(program, args, { stdio: 'pipe', detached: true })
  child.stdin.on('error', () => {}).end(input)
  const closed = once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new ConfigurationError([`--runner: ${program} is not installed on this machine`])
  })
  const output = [text(child.stdout), text(child.stderr)] as const
  const [[code], stdout, stderr] = await Promise.all([closed, ...output])
  return { code, stdout, stderr: stderr.trim() }
}

/** @throws ConfigurationError with the message of the program if it fails */
export async function requireProgram(
  program: string,
  args: readonly string[],
  options: Parameters<typeof runProgram>[2] = {},
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
  mkdirSync(job.folder, { recursive: true })
  const file = join(job.folder, 'job.json')
  writeFileSync(file, job.text, { mode: 0o600 })
  try {
    return await Promise.all(
      Array.from({ length: job.shards }, (_, index) => runShard(job, file, index)),
    )
  } finally {
    rmSync(file, { force: true })
  }
}

function runShard(job: PreparedJob, file: string, index: number): Promise<ShardResult> {
  const out = join(job.folder, `shard-${index}`)
  const args = shardArgs(job, { file, out, shard: `${index}/${job.shards}` })
  const child = spawn(process.execPath, [chatgenBin, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // They are flags of the whole run, and resolved already.
    env: { ...process.env, ...withoutFlags() },
    // Ctrl-C on the terminal reaches it once, through this process.
    detached: true,
  })
  const output: Buffer[] = []
  child.stdout.on('data', (bytes: Buffer) => output.push(bytes))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-2000)
  })
  const stop = () => child.kill('SIGINT')
  const kill = setTimeout(() => child.kill('SIGKILL'), Math.min(job.timeoutMs, maxTimerMs))
  job.signal.addEventListener('abort', stop, { once: true })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(kill)
      job.signal.removeEventListener('abort', stop)
      const text = Buffer.concat(output).toString('utf8')
      resolve({
        output: text.trim() === '' ? null : text,
        reason: errors.trim() || `exit code ${code}`,
      })
    })
  })
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
