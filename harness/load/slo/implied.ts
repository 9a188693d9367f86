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
 * What nobody has to ask for: that answers come, and come whole. A run that says what share may fail,
 * by `errors` or `goodput`, has decided that for itself. A row only where it is missed.
 */
export function impliedSlos(slos: readonly Slo[], { whole, due, errors }: WholeRun): SloRow[] {
  if (slos.some(({ kind }) => kind === 'errors' || kind === 'goodput')) return []
  const cut = truncatedIn(errors)
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
    ...(whole > 0 || due === 0
      ? []
      : [missed('some answer is whole', 0, `None of ${due} due requests was answered whole.`)]),
  ]
}

function truncatedIn(errors: WholeRun['errors']): number {
  return errors.reduce((sum, row) => sum + (row.kind === 'truncated' ? row.count : 0), 0)
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
