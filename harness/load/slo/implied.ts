import {
  type ErrorRow,
  type LoadFinding,
  refusalKinds,
} from '../../../reports/load/model/integrity.ts'
import type { SloRow } from '../../../reports/load/model/measures.ts'
import type { LoadReport, TransactionRow } from '../../../reports/load/model/report.ts'
import { preparingOperation } from '../record.ts'
import { decideDue, percent, undecidedRow } from './decide.ts'
import type { Slo } from './slo.ts'

/** Outcomes of all requests of a run, warm-up and drain included. */
export interface RequestTotals {
  /** Answered whole. */
  readonly whole: number
  /** Due requests with any outcome; those still open are left out. */
  readonly due: number
  /** Still open at the end, without a byte of an answer, or without one in the last ten seconds. */
  readonly unanswered: number
  readonly errors: readonly Pick<ErrorRow, 'kind' | 'count' | 'detail'>[]
}

/** Default share of the due requests that may be refused. */
export const defaultMaxRefusals = 0.01

/**
 * Implied SLOs: answers come, they are whole, and hardly any is a refusal. A run with an `errors` or
 * `goodput` SLO decides itself which share may fail; a requested share of refusals applies in any case. Only
 * those that are not met have a row.
 */
export function impliedSlos(
  slos: readonly Slo[],
  run: RequestTotals,
  maxRefusals: number | null = null,
): SloRow[] {
  const { whole, due, errors, unanswered } = run
  const saysItself = slos.some(({ kind }) => kind === 'errors' || kind === 'goodput')
  const endless = errors.filter(({ kind }) => kind === 'limit').map(({ detail }) => detail)
  const rowOf = (expression: string, kinds: readonly ErrorRow['kind'][], problem: string) => {
    const count = countOf(errors, kinds)
    const observation = `${count} of ${due} due requests ${problem}.`
    return count === 0 ? [] : [missed(expression, count, observation)]
  }
  const rows = [
    ...rowOf('no answer is truncated', ['truncated'], 'received a truncated answer'),
    ...rowOf(
      'no answer is missing',
      ['connect', 'timeout', 'unreadable'],
      'received no readable answer, or none within the timeout',
    ),
  ]
  const sent = due + unanswered
  const tolerated = saysItself ? (maxRefusals ?? defaultMaxRefusals) * sent : 0
  const silence = `${unanswered} of ${sent} requests had no answer yet, or only a part that had not grown for 10 s, when the run ended: use a longer --drain.`
  const noneWhole = `None of ${due} due requests received a complete answer.`
  return [
    ...(saysItself ? [] : rows),
    // Applies to every run: the load of such answers on the generator affects all figures.
    ...rowOf(
      noUnboundedAnswer,
      ['limit'],
      `were abandoned because their answer exceeded a limit: ${endless.join('; ')}`,
    ),
    ...(due > 0 && unanswered > tolerated ? [undecided('each request is answered', silence)] : []),
    ...(saysItself && maxRefusals === null ? [] : refused(run, maxRefusals)),
    ...(saysItself || whole > 0 || due === 0 ? [] : [missed('some answer is whole', 0, noneWhole)]),
  ]
}

export const noUnboundedAnswer = 'no answer is without end'

/**
 * Limit of refusals: the observed share decides whether there is a row, and the sample whether the limit is
 * exceeded beyond doubt. Refusals are counted one by one: refusing everyone for a while is as bad as refusing
 * now and then.
 */
function refused({ due, errors }: RequestTotals, maxShare: number | null): SloRow[] {
  const allowed = maxShare ?? defaultMaxRefusals
  const count = countOf(errors, refusalKinds)
  if (due === 0 || count / due <= allowed) return []
  const row = decideDue(
    `refusals <= ${percent(allowed).replace(' ', '')}`,
    { count, of: due, independent: 1, bad: count, allowed },
    `were refused (${detailsOf(errors)}); ${percent(allowed)} may be`,
  )
  const hint =
    maxShare === null
      ? ' This limit applies by default; change it with --max-refusals or with an errors or goodput SLO.'
      : ''
  return [{ ...row, message: `${row.message}${hint}`, implied: true }]
}

/** `503, 429`, most frequent first; error events count as one kind, whatever their message. */
function detailsOf(errors: RequestTotals['errors']): string {
  const counts = new Map<string, number>()
  for (const { kind, detail, count } of errors) {
    if (!refusalKinds.includes(kind)) continue
    const name = kind === 'in-band-error' ? 'error event' : detail
    counts.set(name, (counts.get(name) ?? 0) + count)
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name)
    .join(', ')
}

function countOf(errors: RequestTotals['errors'], kinds: readonly ErrorRow['kind'][]): number {
  return errors.reduce((sum, { kind, count }) => sum + (kinds.includes(kind) ? count : 0), 0)
}

function missed(expression: string, observed: number, observation: string): SloRow {
  const message = `${observation} This limit applies by default; change it with an errors or goodput SLO.`
  const unit = observed === 1 ? 'answer' : 'answers'
  return { ...undecided(expression, message), verdict: 'missed', observed, unit }
}

export interface SentCounts {
  /** Planned transactions before the end of the run; null if unknown. */
  readonly planned: number | null
  readonly goodput: LoadReport['goodput']
  readonly open: number
  readonly integrity: { readonly findings: readonly LoadFinding[] }
  readonly transactions: readonly Pick<TransactionRow, 'name' | 'planned' | 'requests'>[]
}

/**
 * A run in which nothing was measured, of all or of a kind of transaction, has met nothing: an undecided row
 * says so, whatever SLOs it has. Without that row, it would pass unmeasured.
 */
export function unmeasured(sent: SentCounts): SloRow[] {
  const { integrity, transactions } = sent
  const whole = nothingDue(sent)
  if (whole !== null) return [undecided('something is measured', `${nothing} ${whole}`)]
  const silent = integrity.findings
    .filter(({ id, broken, of }) => id === 'OAI-STREAM-04' && broken === of)
    .map(({ of }) => undecided('some completion has text', `None of ${of} streams had text.`))
  const unsent = transactions.flatMap(({ name, planned, requests }) => {
    const own = requests.filter(({ operation }) => operation !== preparingOperation)
    if (planned === 0 || own.some(({ count }) => count > 0)) return []
    const observation = `None of ${planned} transactions ${name} got beyond creating its chat.`
    return [undecided(`${name} is measured`, `${nothing} ${observation}`)]
  })
  return [...silent, ...unsent]
}

function nothingDue({ planned, goodput, open, transactions }: SentCounts): string | null {
  if (goodput.due > 0) return null
  if (planned === 0) {
    return 'The plan contains no requests: raise --rate or --duration.'
  }
  if (open > 0) {
    return `${open} requests were still open at the end and none had ended in the measured window: use a longer --duration or --drain.`
  }
  const begun = transactions.reduce((sum, { planned }) => sum + planned, 0)
  return begun === 0
    ? 'No request was sent.'
    : 'No request of a user was due in the measured window: use a longer --duration or a shorter --warm-up.'
}

const nothing = 'Nothing was measured.'

function undecided(expression: string, message: string): SloRow {
  return { ...undecidedRow(expression, 'requests', message), observed: 0, implied: true }
}
