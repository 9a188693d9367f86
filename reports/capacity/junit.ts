import type { CapacityProbe } from '../../contract/report/capacity/probe.ts'
import type { CapacityReport } from '../../contract/report/capacity/report.ts'
import { caseOf, type JUnitCase, junitOf } from '../conformance/junit/suites.ts'
import { doubtWord } from '../text/digest.ts'
import { clean } from '../text/escape.ts'
import { count, figure } from '../text/format.ts'
import { answerText, capacityBadge } from './answer.ts'

/**
 * JUnit XML of a capacity search: a case for the answer, one for each violated requirement, one for the
 * generator and one for each probe. A probe that misses an SLO is part of any search, not a failure.
 */
export function capacityToJUnit(report: CapacityReport): string {
  const suites = [
    { name: 'capacity', cases: [answerCase(report)] },
    { name: 'integrity', cases: violatedCases(report) },
    { name: 'generator', cases: [generatorCase(report)] },
    { name: 'probes', cases: report.probes.map(probeCase) },
    { name: 'chatgen', cases: faultCases(report) },
  ]
  const { result, seed } = report
  const doubt = doubtWord(report)
  const properties = {
    outcome: report.outcome,
    rate: result.rate === null ? '' : String(result.rate),
    low: String(result.interval?.[0] ?? ''),
    high: String(result.interval?.[1] ?? ''),
    limitedBy: clean(result.limitedBy ?? ''),
    seed: clean(seed),
    ...(doubt === null ? {} : { digest: doubt }),
  }
  return junitOf(suites, { ...report, properties })
}

function answerCase(report: CapacityReport): JUnitCase {
  const text = answerText(report)
  const isGood = ['found', 'above max'].includes(report.outcome) && !report.interrupted
  const message = `${capacityBadge(report).word}: ${text}`
  return {
    name: 'the capacity is known and within the limits of the search',
    timeMs: report.durationMs,
    output: isGood ? text : null,
    result: isGood ? null : { tag: 'failure', type: report.outcome, message, text },
  }
}

function violatedCases({ probes }: CapacityReport): readonly JUnitCase[] {
  const ids = [...new Set(probes.flatMap(({ violated }) => violated))]
  return ids.map((id) => {
    const own = probes.filter(({ violated }) => violated.includes(id))
    const message = `violated in ${own.length} probes`
    const text = own.map(({ report }) => report ?? '').join('\n')
    return caseOf(id, { tag: 'failure', type: 'violated', message, text })
  })
}

function generatorCase({ generator }: CapacityReport): JUnitCase {
  const name = 'the load generator was not the bottleneck'
  const text = generator.reasons.map(clean).join('\n')
  if (generator.verdict !== 'invalid') return { ...caseOf(name, null), output: text || null }
  const message = `it holds ${figure(generator.holds)} req/s`
  return caseOf(name, { tag: 'error', type: 'invalid', message, text })
}

function probeCase(probe: CapacityProbe): JUnitCase {
  const { index, purpose, rate, clients, verdict, durationMs, stopped } = probe
  const load = clients === null ? `${figure(rate)} req/s` : count(clients, 'client')
  const output = `probe ${index}: ${verdict}${stopped === null ? '' : `; ${clean(stopped)}`}`
  return { name: `probe ${index}, ${purpose}, ${load}`, timeMs: durationMs, result: null, output }
}

function faultCases({ faults }: CapacityReport): readonly JUnitCase[] {
  return faults.map((text, index) =>
    caseOf(`internal error ${index + 1}`, {
      tag: 'error',
      type: 'error',
      message: 'internal error of chatgen',
      text: clean(text),
    }),
  )
}
