import type { TransactionRow } from '../../../contract/report/load.ts'
import type { Metric } from '../../../contract/report/load-measures.ts'
import { type MixEntry, surfaceOf } from '../plan/mix.ts'
import type { RequestRecord } from '../record.ts'

interface TransactionCounts {
  begun: number
  /** Indexes of transactions of which a request failed, or was still open. */
  readonly failed: Set<number>
  readonly open: Set<number>
  readonly requests: Map<string, RequestCounts>
}

interface RequestCounts {
  readonly operation: string
  readonly form: 'stream' | 'json'
  count: number
  completed: number
  failed: number
}

/** What became of each kind of transaction; one record at a time. */
export class TransactionStats {
  readonly #byName = new Map<string, TransactionCounts>()

  add({ index, step, transaction, operation, form, outcome }: RequestRecord): void {
    const counts = this.#of(transaction)
    if (step === 0) counts.begun += 1
    const request = requestOf(counts, operation, form)
    request.count += 1
    if (outcome.kind === 'open') counts.open.add(index)
    else if (outcome.kind === 'ok' || outcome.kind === 'abandoned') request.completed += 1
    else {
      request.failed += 1
      counts.failed.add(index)
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
      const unfinished = [...open].filter((index) => !failed.has(index)).length
      return {
        name,
        surface: surfaceOf(kind),
        share: weight / total,
        planned: begun,
        completed: begun - failed.size - unfinished,
        failed: failed.size,
        open: unfinished,
        requests: [...requests.values()],
        metrics: metrics.get(name) ?? [],
      }
    })
  }

  #of(name: string): TransactionCounts {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const fresh = {
      begun: 0,
      failed: new Set<number>(),
      open: new Set<number>(),
      requests: new Map(),
    }
    this.#byName.set(name, fresh)
    return fresh
  }
}

function requestOf({ requests }: TransactionCounts, operation: string, form: 'stream' | 'json') {
  const key = `${operation} ${form}`
  const known = requests.get(key)
  if (known !== undefined) return known
  const fresh: RequestCounts = { operation, form, count: 0, completed: 0, failed: 0 }
  requests.set(key, fresh)
  return fresh
}
