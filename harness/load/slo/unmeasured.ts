import type { SloRow } from '../../../contract/report/load/measures.ts'
import type { LoadReport, TransactionRow } from '../../../contract/report/load/report.ts'

export interface SentCounts {
  /** Planned transactions before the end of the run; null if unknown. */
  readonly planned: number | null
  readonly goodput: LoadReport['goodput']
  readonly open: number
  readonly transactions: readonly Pick<TransactionRow, 'name' | 'planned' | 'requests'>[]
}

/** Asks for what a transaction needs before it begins: nothing of it is measured by that. */
const setupOperations: readonly string[] = ['v3.createChat']

/**
 * A run in which nothing was measured, of all or of a kind of transaction, has met nothing: an
 * undecided row says so, whatever SLOs there are. Without one it would pass by not being looked at.
 */
export function unmeasured(sent: SentCounts): SloRow[] {
  const { transactions } = sent
  const whole = nothingDue(sent)
  if (whole !== null) return [undecided('something is measured', whole)]
  return transactions.flatMap(({ name, planned, requests }) => {
    const own = requests.filter(({ operation }) => !setupOperations.includes(operation))
    if (planned === 0 || own.some(({ count }) => count > 0)) return []
    const observation = `None of ${planned} transactions ${name} got beyond creating its chat.`
    return [undecided(`${name} is measured`, observation)]
  })
}

function nothingDue({ planned, goodput, open, transactions }: SentCounts): string | null {
  if (goodput.due > 0) return null
  if (planned === 0) {
    return 'The plan holds no request: raise --rate or --duration.'
  }
  if (open > 0) {
    return `${open} requests were still open at the end and none had ended in the measured window: give the run a longer --duration or --drain.`
  }
  const begun = transactions.reduce((sum, { planned }) => sum + planned, 0)
  return begun === 0
    ? 'No request was sent.'
    : 'No request of a user was due in the measured window: give the run a longer --duration or a shorter --warm-up.'
}

function undecided(expression: string, observation: string): SloRow {
  return {
    expression,
    verdict: 'undecided',
    observed: 0,
    low: null,
    high: null,
    unit: 'requests',
    needed: null,
    message: `Nothing was measured. ${observation}`,
    implied: true,
  }
}
