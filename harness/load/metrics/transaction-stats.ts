import type { Metric } from '../../../contract/report/load/measures.ts'
import type { TransactionRow } from '../../../contract/report/load/report.ts'
import { type MixEntry, surfaceOf } from '../plan/mix.ts'
import type { RequestRecord } from '../record.ts'

interface TransactionCounts {
  begun: number
  /** Transactions with a failed request; those with none failed, but one still open. */
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
