import type { LoadReport } from '../../reports/model/load.ts'

/** A violation stands however the run was timed; an SLO only where the generator kept time. */
export function outcomeOf(
  report: Pick<LoadReport, 'integrity' | 'generator' | 'slo'>,
): LoadReport['outcome'] {
  const { integrity, generator, slo } = report
  if (integrity.findings.some(({ level }) => level === 'required')) return 'violated'
  if (generator.verdict === 'invalid') return 'invalid'
  return slo.every(({ verdict }) => verdict === 'met') ? 'met' : 'missed'
}
