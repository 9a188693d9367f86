import { writePassages } from '../../../fixtures/content/passages.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import type { NetworkOptions } from '../../client/index.ts'
import { RunClock } from '../clock.ts'
import { runPlan } from '../engine/scheduler.ts'
import { workerContext } from '../engine/worker-context.ts'
import type { AnswerLimits } from '../http/answer-body.ts'
import { routeOf } from '../http/dial.ts'
import { negotiateChannelPool } from '../http/worker-connections.ts'
import { IntegrityRecorder } from '../judging/integrity-recorder.ts'
import { defaultLoadOptions, type LoadOptions } from '../options.ts'
import { type Kind, type MixEntry, mixEntry } from '../plan/mix.ts'
import { noncePrefix, type PlanSpec, wholePlan } from '../plan/plan.ts'
import type { RequestRecord } from '../record.ts'
import { runLoad } from '../run.ts'
import { chatPool } from '../setup/chat-pool.ts'
import { plainTarget } from '../target.ts'

export interface TestLoad {
  readonly perSecond?: number
  readonly seconds?: number
  readonly kind?: Kind
  readonly timeoutMs?: number
  readonly spec?: Partial<PlanSpec>
  readonly options?: Partial<LoadOptions>
}

/** A short run with constant arrivals, through threads and all. */
export function load(url: string, test: TestLoad = {}): Promise<LoadReport> {
  const { perSecond = 20, seconds = 1, kind = 'openai-stream', timeoutMs = 5000 } = test
  return runLoad({
    ...defaultLoadOptions,
    target: { ...plainTarget(url, 'key'), timeoutMs },
    spec: specOf(mixEntry({ name: kind, kind, usage: false }), seconds, {
      arrival: { kind: 'constant', perSecond },
      ...test.spec,
    }),
    warmUpMs: 0,
    drainMs: 3000,
    maxInFlight: 1000,
    suite: { version: '0', interface: '0' },
    signal: new AbortController().signal,
    ...test.options,
  })
}

function specOf(
  entry: MixEntry,
  seconds: number,
  more: Pick<PlanSpec, 'arrival'> & Partial<PlanSpec>,
): PlanSpec {
  return {
    seed: 'test',
    mix: { name: entry.name, entries: [entry] },
    durationNs: seconds * 1e9,
    misbehavior: { slowReader: 0, abort: 0, churn: 0 },
    idempotencyRaces: 0,
    ...more,
  }
}

export interface DriveOptions {
  readonly url: string
  /** Maximum number of connections at once; what is due meanwhile waits. Unlimited by default. */
  readonly connections?: number
  readonly perSecond: number
  readonly seconds: number
  readonly drainSeconds?: number
  readonly kind?: Kind
  /** Share of the generations that are sent twice. */
  readonly races?: number
  readonly network?: NetworkOptions
  readonly limits?: AnswerLimits
  readonly timeoutMs?: number
  /** Number of clients that wait for their answers, in place of arrivals by the clock. */
  readonly clients?: number
}

/** @throws the internal errors of the engine */
export async function driven(options: DriveOptions) {
  const { url, connections, perSecond, seconds, kind = 'openai-json' } = options
  const passages = await writePassages('drive')
  const clock = new RunClock(process.hrtime.bigint())
  const { timeoutMs = 20_000, drainSeconds = 20, limits, clients } = options
  const target = { ...plainTarget(url, 'key'), timeoutMs, ...(limits ? { limits } : {}) }
  const route = routeOf(url, options.network)
  const { signal } = new AbortController()
  const { open } = await negotiateChannelPool(route, signal)
  const channels = open(clock, true, connections)
  const context = workerContext({
    clock: new RunClock(process.hrtime.bigint()),
    target,
    endpoints: [{ target, channels }],
    chats: chatPool(target, '0'),
    integrity: new IntegrityRecorder(String),
    passages,
    noncePrefix: noncePrefix('test'),
    signal,
  })
  const spec = specOf(mixEntry({ name: kind, kind }), seconds, {
    arrival:
      clients === undefined
        ? { kind: 'constant', perSecond }
        : { kind: 'closed', concurrency: clients, maxTransactions: 1e6 },
    idempotencyRaces: options.races ?? 0,
  })
  const faults: unknown[] = []
  const run = { spec, part: wholePlan, drainNs: drainSeconds * 1e9, maxInFlight: 10_000 }
  await runPlan(run, context, (error) => faults.push(error))
  const { httpVersion, opened, http2 } = channels
  await channels.close()
  if (faults.length > 0) throw faults[0]
  return {
    records: context.records,
    channels: { httpVersion, opened, http2 },
    integrity: context.integrity.counts,
  }
}

/** Kinds of the outcomes, with their details, each once. */
export function outcomesOf(records: readonly RequestRecord[]): string[] {
  const texts = records.map(({ outcome }) =>
    'detail' in outcome ? `${outcome.kind} ${outcome.detail}` : outcome.kind,
  )
  return [...new Set(texts)]
}
