import type { ErrorRow } from '../../../reports/load/model/integrity.ts'
import type { Metric } from '../../../reports/load/model/measures.ts'
import type { TransactionRow } from '../../../reports/load/model/report.ts'
import { type Failure, failureKinds, type RequestRecord } from '../record.ts'
import { addCounts, type Stored, valueAt } from './samples/histogram.ts'

interface CountedFailure extends Failure {
  readonly count: number
  /** Index of the first request in the order of the plan. */
  readonly index: number
  readonly step: number
  readonly atNs: number
}

/** Failed requests by kind and detail, with the first of each in the order of the plan. */
export class Failures {
  readonly failures = new Map<string, CountedFailure>()

  add({ outcome, index, step, timestamps }: RequestRecord): void {
    if (outcome.kind === 'ok' || outcome.kind === 'open' || outcome.kind === 'abandoned') return
    const detail = withoutIds(outcome.detail)
    const { kind, counter } = outcome
    this.#put({ kind, counter, detail, count: 1, index, step, atNs: timestamps.dispatched })
  }

  merge(other: Stored<Pick<Failures, 'failures'>>): void {
    for (const [, failure] of other.failures) this.#put(failure)
  }

  /** The most frequent first, with shares of the `due` requests. */
  rows(due: number): ErrorRow[] {
    const order = ({ kind }: Failure) => failureKinds.indexOf(kind)
    return [...this.failures.values()]
      .sort((a, b) => b.count - a.count || order(a) - order(b) || (a.detail < b.detail ? -1 : 1))
      .map(({ kind, counter, detail, count, index, atNs }) => ({
        kind,
        counter,
        detail,
        count,
        share: due === 0 ? 0 : count / due,
        firstIndex: index,
        firstSecond: atNs / 1e9,
      }))
  }

  #put(failure: CountedFailure): void {
    const key = `${failure.kind} ${failure.counter} ${failure.detail}`
    const own = this.failures.get(key)
    if (own === undefined) {
      const isFull = this.failures.size >= maxRows && failure.detail !== otherDetails
      if (isFull) this.#put({ ...failure, detail: otherDetails })
      else this.failures.set(key, failure)
      return
    }
    const first = own.index - failure.index || own.step - failure.step
    const count = own.count + failure.count
    this.failures.set(key, { ...(first <= 0 ? own : failure), count })
  }
}

/** Removes ids, so that messages that name their request count as one kind. */
function withoutIds(detail: string): string {
  return detail
    .replace(/\b(?=[\w-]*\d)[\w-]{8,}\b/g, (id) => (rowId.test(id) ? id : '…'))
    .slice(0, 160)
}

/** Requirements and error codes, which are kept as they are. */
const rowId = /^([A-Z]+\d?(-[A-Z]+)+-\d+|[A-Z]+\d?(_[A-Z0-9]+)+)$/

/** Maximum rows: a target may send a different message each time. */
const maxRows = 100
const otherDetails = 'other details'

/** A transaction of the mix of a run. */
export type PlannedTransaction = Pick<TransactionRow, 'name' | 'surface' | 'share'>

type RequestCounts = TransactionRow['requests'][number]
type TransactionCounts = ReturnType<typeof noRequests>

/** `failed`: transactions with a failed request; `open`: those with none failed, but one still open. */
const noRequests = () => ({
  ...{ begun: 0, failed: 0, open: 0 },
  requests: new Map<string, RequestCounts>(),
})

/** Counts outcomes by transaction, one record at a time. */
export class TransactionStats {
  readonly byName = new Map<string, TransactionCounts>()

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
    return [...this.byName.values()].reduce((sum, { begun }) => sum + begun, 0)
  }

  merge(other: Stored<Pick<TransactionStats, 'byName'>>): void {
    for (const [name, counts] of other.byName) {
      const own = this.#of(name)
      addCounts(own, counts, ['begun', 'failed', 'open'])
      for (const [, more] of counts.requests) {
        const request = requestOf(own, more.operation, more.form)
        addCounts(request, more, ['count', 'completed', 'failed'])
      }
    }
  }

  rows(
    planned: readonly PlannedTransaction[],
    metricsOf: (transaction: string) => Metric[],
  ): TransactionRow[] {
    return planned.map(({ name, surface, share }) => {
      const { begun, failed, open, requests } = this.#of(name)
      return {
        ...{ name, surface, share, planned: begun, completed: begun - failed - open, failed, open },
        requests: [...requests.values()],
        metrics: metricsOf(name),
      }
    })
  }

  #of(name: string): TransactionCounts {
    return valueAt(this.byName, name, noRequests)
  }
}

function requestOf({ requests }: TransactionCounts, operation: string, form: 'stream' | 'json') {
  const none = () => ({ operation, form, count: 0, completed: 0, failed: 0 })
  return valueAt(requests, `${operation} ${form}`, none)
}
