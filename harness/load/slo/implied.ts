import type { ErrorRow } from '../../../reports/model/load.ts'
import type { SloRow } from '../../../reports/model/load-measures.ts'
import type { Slo } from './slo.ts'

/** What became of all requests of a run, its warm-up and drain included. */
export interface WholeRun {
  /** Answered whole. */
  readonly whole: number
  /** Whatever became of them; those still open are left out. */
  readonly due: number
  readonly errors: readonly Pick<ErrorRow, 'kind' | 'count'>[]
}

/**
 * What nobody has to ask for: that answers come, and come whole. An error that the target tells is an
 * answer, and how many there may be is for an SLO to say. A run that says what share may fail,
 * by `errors` or `goodput`, has decided that for itself. A row only where it is missed.
 */
export function impliedSlos(slos: readonly Slo[], { whole, due, errors }: WholeRun): SloRow[] {
  if (slos.some(({ kind }) => kind === 'errors' || kind === 'goodput')) return []
  const cut = countOf(errors, ['truncated'])
  const none = countOf(errors, ['connect', 'timeout'])
  return [
    ...(cut === 0
      ? []
      : [
          missed(
            'no answer is truncated',
            cut,
            `${cut} of ${due} due requests got an answer that broke off before its end.`,
          ),
        ]),
    ...(none === 0
      ? []
      : [
          missed(
            'no answer is missing',
            none,
            `${none} of ${due} due requests got no answer, or none in time.`,
          ),
        ]),
    ...(whole > 0 || due === 0
      ? []
      : [missed('some answer is whole', 0, `None of ${due} due requests was answered whole.`)]),
  ]
}

function countOf(errors: WholeRun['errors'], kinds: readonly ErrorRow['kind'][]): number {
  return errors.reduce((sum, { kind, count }) => sum + (kinds.includes(kind) ? count : 0), 0)
}

function missed(expression: string, observed: number, seen: string): SloRow {
  return {
    expression,
    verdict: 'missed',
    observed,
    low: null,
    high: null,
    unit: observed === 1 ? 'answer' : 'answers',
    needed: null,
    message: `${seen} Holds without being asked for; errors or goodput say what share may fail.`,
    implied: true,
  }
}
