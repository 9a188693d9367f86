import type { DroppedArrival } from '../engine/worker-context.ts'
import type { RecordsMessage } from '../engine/worker-pool.ts'
import { GeneratorMonitor } from '../generator/generator-monitor.ts'
import { DuplicateIdDetector } from '../judging/integrity.ts'
import type { PlanSpec } from '../plan/plan.ts'
import { goodputLimits, type Slo, watchedLatencies } from '../slo/slo.ts'
import { RunMetrics } from './run-metrics.ts'
import { TransactionStats } from './transaction-stats.ts'

/** A gap between fragments that a reader of the text would notice. */
const stallNs = 500_000_000

/** All that a run keeps of its requests while it lasts; bounded, however long it is. */
export class RunStats {
  readonly metrics: RunMetrics
  readonly generator: GeneratorMonitor
  readonly transactions = new TransactionStats()
  readonly ids = new DuplicateIdDetector()
  requests = 0
  failed = 0
  inFlight = 0
  dropped = 0
  readonly #inFlight: number[]

  constructor(
    { durationNs, mix }: Pick<PlanSpec, 'durationNs' | 'mix'>,
    slos: readonly Slo[],
    workers: number,
  ) {
    const growing = mix.entries.flatMap(({ kind, name }) => (kind === 'v3-chat' ? [name] : []))
    this.metrics = new RunMetrics({
      durationNs,
      limits: goodputLimits(slos),
      stallNs,
      growing,
      watched: watchedLatencies(slos),
    })
    this.generator = new GeneratorMonitor(workers)
    this.#inFlight = Array.from({ length: workers }, () => 0)
  }

  add(worker: number, { records, ids, dropped, inFlight }: RecordsMessage): void {
    for (const record of records) {
      this.requests += 1
      if ('detail' in record.outcome) this.failed += 1
      this.metrics.add(record)
      this.generator.add(worker, record)
      this.transactions.add(record)
    }
    for (const id of ids) this.ids.add(id)
    for (const passed of dropped) this.#pass(passed)
    this.#inFlight[worker] = inFlight
    this.inFlight = this.#inFlight.reduce((sum, count) => sum + count, 0)
  }

  #pass([plannedNs, transaction]: DroppedArrival): void {
    this.dropped += 1
    this.metrics.addNotDispatched(plannedNs, transaction)
  }
}
