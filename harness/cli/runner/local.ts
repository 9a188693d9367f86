import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { maxTimerMs } from '../../../contract/timer.ts'
import { chatgenBin } from '../../library/chatgen-process.ts'
import { withoutFlags } from '../target/target.ts'
import type { PreparedJob, Runner, ShardResult } from './sharded-run.ts'

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
