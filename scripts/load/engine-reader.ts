/** The engine of `chatgen load` on one worker, every event judged. */

import { spawn, spawnSync } from 'node:child_process'
import { availableParallelism, constants, setPriority } from 'node:os'
import { writePassages } from '../../fixtures/content/passages.ts'
import { mixEntry } from '../../harness/load/plan/mix.ts'
import type { PlanSpec } from '../../harness/load/plan/plan.ts'
import type { RequestRecord } from '../../harness/load/record.ts'
import { runWorkers, startThreads } from '../../harness/load/run.ts'
import { plainTarget } from '../../harness/load/target.ts'

export interface ReaderOptions {
  readonly url: string
  readonly key: string
  readonly kind: 'openai-stream' | 'one-shot-stream'
  /** Tokens of an answer. */
  readonly tokens: number
  /** Requests in flight at any time. */
  readonly streams: number
  /** Duration of a stream, milliseconds: the requests start evenly over it. */
  readonly streamMs: number
  readonly durationMs: number
}

export type EngineResult = Awaited<ReturnType<typeof readWithEngine>>

/** Tag of the run: request ids begin with it. */
export const tag = 'truth'

/** @returns records, and the monotonic nanoseconds at their time 0 @throws Error if a worker failed */
export async function readWithEngine(options: ReaderOptions) {
  const { url, key, kind, tokens, streams, streamMs, durationMs } = options
  const constant = (value: number) => ({ kind: 'constant', value }) as const
  const spec: PlanSpec = {
    seed: tag,
    mix: {
      name: kind,
      entries: [mixEntry({ name: kind, kind, prompt: constant(8), answer: constant(tokens) })],
    },
    arrival: { kind: 'constant', perSecond: (streams * 1000) / streamMs },
    durationNs: durationMs * 1e6,
    misbehavior: { slowReader: 0, abort: 0, churn: 0 },
    idempotencyRaces: 0,
  }
  const setup = {
    part: { index: 0, of: 1 },
    target: { ...plainTarget(url, key), headers: { 'x-chatgen-stamps': '1' }, tag },
    spec,
    passages: await writePassages(spec.seed),
    needs: { v3: 0, v2: 0, history: 0 },
    keepAlive: true,
    drainNs: 30e9,
    maxInFlight: 10_000,
    // Nothing listens there, so no clock is probed.
    clockProbePort: 1,
  }
  const records: RequestRecord[] = []
  let startNs = 0
  const { internalErrors } = await runWorkers(startThreads(1), Promise.resolve([setup]), {
    signal: new AbortController().signal,
    whenReady: async () => {},
    onStart: (at) => {
      startNs = Number(at)
    },
    onRecords: (_worker, message) => records.push(...message.records),
  })
  if (internalErrors.length > 0) throw new Error(internalErrors.join())
  return { records, startNs }
}

/** The processes end with this one. */
export function keepAwake(): void {
  const spinners = Array.from({ length: availableParallelism() }, () => {
    const spinner = spawn(process.execPath, ['--eval', spinning], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    spinner.stdin.on('error', () => {})
    if (spinner.pid !== undefined) {
      setPriority(spinner.pid, constants.priority.PRIORITY_LOW)
      // The idle scheduling class of the system, if there is one.
      spawnSync('chrt', ['--idle', '--all-tasks', '--pid', '0', String(spinner.pid)])
    }
    spinner.unref()
    return spinner
  })
  process.once('exit', () => {
    for (const spinner of spinners) spinner.kill('SIGKILL')
  })
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
