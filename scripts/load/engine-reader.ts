/** The engine of `chatgen load` on one worker, every event judged. */
import { writePassages } from '../../fixtures/content/passages.ts'
import { mixEntry } from '../../harness/load/plan/mix.ts'
import type { PlanSpec } from '../../harness/load/plan/plan.ts'
import type { RequestRecord } from '../../harness/load/record.ts'
import { runWorkers } from '../../harness/load/run.ts'
import { plainTarget } from '../../harness/load/target.ts'
import { constant, type ReaderOptions, type ReaderResult, Window } from './reader.ts'

export interface EngineResult extends ReaderResult {
  readonly records: readonly RequestRecord[]
  /** Monotonic nanoseconds of what the records call 0. */
  readonly startNs: number
  readonly findings: number
  readonly eventLoopUtilization: number
}

const tag = 'efficiency'

export async function readWithEngine(
  options: ReaderOptions,
  arrival: PlanSpec['arrival'] = steady(options),
  workers = 1,
): Promise<EngineResult> {
  const { url, key, kind, tokens, warmUpMs, windowMs } = options
  const spec: PlanSpec = {
    seed: tag,
    mix: {
      name: kind,
      entries: [mixEntry({ name: kind, kind, prompt: constant(8), answer: constant(tokens) })],
    },
    arrival,
    durationNs: (warmUpMs + windowMs) * 1e6,
    misbehavior: { slowReader: 0, abort: 0, churn: 0 },
    idempotencyRaces: 0,
  }
  const setup = {
    target: { ...plainTarget(url, key), headers: { 'x-chatgen-stamps': '1' }, tag },
    spec,
    passages: await writePassages(spec.seed),
    needs: { v3: 0, v2: 0, history: 0 },
    keepAlive: true,
    drainNs: 30e9,
    maxInFlight: 10_000,
    clockProbePort: null,
  }
  const records: RequestRecord[] = []
  let window: Window | undefined
  let startNs = 0
  const outcome = await runWorkers(
    Array.from({ length: workers }, (_, index) => ({ ...setup, part: { index, of: workers } })),
    {
      signal: new AbortController().signal,
      whenReady: async () => {},
      onStart: (at) => {
        startNs = Number(at)
        window = new Window(options)
      },
      onRecords: (_worker, message) => records.push(...message.records),
    },
  )
  if (window === undefined)
    throw new Error(`the engine did not start: ${outcome.internalErrors.join()}`)
  window.streams = records.length
  for (const fault of outcome.internalErrors) window.error(fault)
  for (const { outcome: ended } of records) if (ended.kind !== 'ok') window.error(ended.kind)
  return {
    ...window.result(),
    records,
    startNs,
    findings: outcome.done.reduce(
      (sum, { integrity }) =>
        sum + Object.values(integrity.tally).reduce((broken, row) => broken + row.broken, 0),
      0,
    ),
    eventLoopUtilization: Math.max(...outcome.done.map(({ usage }) => usage.eventLoopUtilization)),
  }
}

/** Evenly spaced arrivals that keep `streams` in flight. */
function steady({ streams, streamMs }: ReaderOptions): PlanSpec['arrival'] {
  return { kind: 'constant', perSecond: (streams * 1000) / streamMs }
}
