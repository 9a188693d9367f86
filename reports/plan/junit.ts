import type { PlanReport } from '../../contract/report/plan.ts'
import type { JUnitCase } from '../conformance/junit/cases.ts'
import { junitOf } from '../conformance/junit/suites.ts'
import { clean } from '../text/escape.ts'
import { planAnswer, planWord, sloText } from './answer.ts'

/** JUnit XML of a plan: a case for the answer, and one for each SLO with the planned replicas. */
export function planToJUnit(report: PlanReport): string {
  const { replicas, rows, outcome, createdAt, measured } = report
  const row = rows.find((one) => one.replicas === replicas) ?? rows[0]
  const slos = (row?.slo ?? []).map((slo): JUnitCase => {
    const isMissed = slo.verdict === 'missed' || slo.verdict === 'likely missed'
    const text = `${sloText(slo)}, ${slo.verdict}`
    const result = { tag: 'failure', type: slo.verdict, message: text, text } as const
    return {
      name: clean(slo.expression),
      timeMs: 0,
      output: text,
      result: isMissed ? result : null,
    }
  })
  const text = planAnswer(report)
  const answer: JUnitCase = {
    name: 'a number of replicas meets the SLOs',
    timeMs: 0,
    output: text,
    result:
      outcome === 'found'
        ? null
        : {
            tag: outcome === 'invalid' ? 'error' : 'failure',
            type: outcome,
            message: `${planWord(report)}: ${text}`,
            text,
          },
  }
  return junitOf(
    [
      { name: 'plan', cases: [answer] },
      { name: 'slo', cases: slos },
    ].filter(({ cases }) => cases.length > 0),
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
