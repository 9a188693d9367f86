import type { LoadReport } from '../../../contract/report/load/report.ts'
import { defaultLoadOptions, type LoadOptions } from '../options.ts'
import { type Kind, mixEntry } from '../plan/mix.ts'
import type { PlanSpec } from '../plan/plan.ts'
import { runLoad } from '../run.ts'
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
    spec: {
      seed: 'test',
      mix: { name: kind, entries: [mixEntry({ name: kind, kind, usage: false })] },
      arrival: { kind: 'constant', perSecond },
      durationNs: seconds * 1e9,
      misbehavior: { slowReader: 0, abort: 0, churn: 0 },
      idempotencyRaces: 0,
      ...test.spec,
    },
    warmUpMs: 0,
    drainMs: 3000,
    maxInFlight: 1000,
    suite: { version: '0', interface: '0' },
    signal: new AbortController().signal,
    ...test.options,
  })
}
