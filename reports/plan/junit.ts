import type { PlanReport } from '../../contract/report/plan.ts'
import type { JUnitCase } from '../conformance/junit/cases.ts'
import { caseOf, junitOf } from '../conformance/junit/suites.ts'
import { planAnswer, planWord, sloText } from './answer.ts'

/** JUnit XML of a plan: a case for the answer, and one for each SLO with the planned replicas. */
export function planToJUnit(report: PlanReport): string {
  const { replicas, rows, outcome, createdAt, measured } = report
  const row = rows.find((one) => one.replicas === replicas) ?? rows[0]
  const slos = (row?.slo ?? []).map((slo): JUnitCase => {
    const isMissed = slo.verdict === 'missed' || slo.verdict === 'likely missed'
    const text = `${sloText(slo)}, ${slo.verdict}`
    const result = { tag: 'failure', type: slo.verdict, message: text, text } as const
    return { ...caseOf(slo.expression, isMissed ? result : null), output: text }
  })
  const text = planAnswer(report)
  const tag = outcome === 'invalid' ? 'error' : 'failure'
  const message = `${planWord(report)}: ${text}`
  const result = outcome === 'found' ? null : ({ tag, type: outcome, message, text } as const)
  const answer = { ...caseOf('a number of replicas meets the SLOs', result), output: text }
  return junitOf(
    [
      { name: 'plan', cases: [answer] },
      { name: 'slo', cases: slos },
    ],
    {
      target: { baseUrl: measured[0]?.baseUrl ?? '' },
      startedAt: createdAt,
      properties: {
        outcome,
        replicas: String(replicas ?? ''),
        withSpare: String(report.withSpare ?? ''),
      },
    },
  )
}
