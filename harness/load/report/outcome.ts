import type { LoadReport } from '../../../contract/report/load.ts'
import { noUnboundedAnswer } from '../slo/implied.ts'

/**
 * A violation stands however the run was timed, and so does an answer without end, which keeps the
 * generator from its work; an SLO only where the generator kept time.
 */
export function loadOutcome(
  report: Pick<LoadReport, 'integrity' | 'generator' | 'slo'>,
): LoadReport['outcome'] {
  const { integrity, generator, slo } = report
  if (integrity.findings.some(({ level }) => level === 'required')) return 'violated'
  if (slo.some(({ expression }) => expression === noUnboundedAnswer)) return 'missed'
  if (generator.verdict === 'invalid') return 'invalid'
  return slo.every(({ verdict }) => verdict === 'met') ? 'met' : 'missed'
}
