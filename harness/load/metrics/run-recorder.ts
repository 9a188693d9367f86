import type { Metric } from '../../../contract/report/load/measures.ts'
import type { TransactionRow } from '../../../contract/report/load/report.ts'
import type { DroppedArrival } from '../engine/worker-context.ts'
import type { RecordsMessage } from '../engine/worker-pool.ts'
import { GeneratorMonitor } from '../generator/generator-monitor.ts'
import { DuplicateIdDetector } from '../judging/integrity.ts'
import { type MixEntry, surfaceOf } from '../plan/mix.ts'
import type { PlanSpec } from '../plan/plan.ts'
import type { RequestRecord } from '../record.ts'
import { goodputLimits, type Slo, watchedLatencies } from '../slo/slo.ts'
import { RunMetrics } from './run-metrics.ts'

/** A gap between fragments that a reader of the text would notice. */
const stallNs = 500_000_000

/** Accumulates all results of a run in bounded memory. */
export class RunRecorder {
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

interface TransactionCounts {
  begun: number
  /** Transactions of which a request failed; of which none failed, but one was still open. */
  failed: number
  open: number
  readonly requests: Map<string, RequestCounts>
}

interface RequestCounts {
  readonly operation: string
  readonly form: 'stream' | 'json'
  count: number
  completed: number
  failed: number
}

/** Counts outcomes by transaction, one record at a time. */
export class TransactionStats {
  readonly #byName = new Map<string, TransactionCounts>()

  add({ step, transaction, operation, form, outcome, earlier }: RequestRecord): void {
    const counts = this.#of(transaction)
    if (step === 0) counts.begun += 1
    const request = requestOf(counts, operation, form)
    request.count += 1
    if (outcome.kind === 'ok' || outcome.kind === 'abandoned') request.completed += 1
    else if (outcome.kind === 'open') counts.open += Number(earlier === undefined)
    else {
      request.failed += 1
      counts.failed += Number(earlier !== 'failed')
      counts.open -= Number(earlier === 'open')
    }
  }

  /** Transactions whose first request was sent. */
  get started(): number {
    return [...this.#byName.values()].reduce((sum, { begun }) => sum + begun, 0)
  }

  rows(entries: readonly MixEntry[], metrics: ReadonlyMap<string, Metric[]>): TransactionRow[] {
    const total = entries.reduce((sum, { weight }) => sum + weight, 0)
    return entries.map(({ name, kind, weight }) => {
      const { begun, failed, open, requests } = this.#of(name)
      return {
        name,
        surface: surfaceOf(kind),
        share: weight / total,
        planned: begun,
        completed: begun - failed - open,
        failed,
        open,
        requests: [...requests.values()],
        metrics: metrics.get(name) ?? [],
      }
    })
  }

  #of(name: string): TransactionCounts {
    const existing = this.#byName.get(name)
    if (existing !== undefined) return existing
    const created = { begun: 0, failed: 0, open: 0, requests: new Map() }
    this.#byName.set(name, created)
    return created
  }
}

function requestOf({ requests }: TransactionCounts, operation: string, form: 'stream' | 'json') {
  const key = `${operation} ${form}`
  const existing = requests.get(key)
  if (existing !== undefined) return existing
  const created: RequestCounts = { operation, form, count: 0, completed: 0, failed: 0 }
  requests.set(key, created)
  return created
}
