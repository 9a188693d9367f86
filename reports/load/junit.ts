import { caseOf, faultCase, type JUnitCase, junitOf } from '../conformance/junit.ts'
import { doubtWord } from '../text/digest.ts'
import { clean } from '../text/escape.ts'
import { figure, interval, percent } from '../text/format.ts'
import { isViolation } from './model/integrity.ts'
import type { SloRow } from './model/measures.ts'
import type { LoadReport } from './model/report.ts'
import { outcomeText, partialText, planText } from './outcome.ts'
import { disturbanceText } from './traffic.ts'

/**
 * JUnit XML of a load run: a case for each SLO, each judged requirement, each audit and the verdict on the
 * generator. What decides the outcome is a `<failure>`, internal errors an `<error>`; an undecided SLO
 * fails, with the reason.
 */
export function loadToJUnit(report: LoadReport): string {
  const suites = [
    { name: 'slo', cases: report.slo.map((row) => caseOfSlo(row, report)) },
    { name: 'integrity', cases: casesOfIntegrity(report) },
    { name: 'generator', cases: [caseOfGenerator(report), ...casesOfAudits(report)] },
    { name: 'chatgen', cases: casesOfRun(report) },
  ]
  return junitOf(suites, { ...report, properties: propertiesOf(report) })
}

function caseOfSlo(row: SloRow, { durationMs }: LoadReport): JUnitCase {
  const { expression, verdict, observed, low, high, unit, message } = row
  const observation = `${interval(observed, low, high)} ${unit}`
  return {
    name: clean(expression),
    timeMs: durationMs,
    output: verdict === 'met' ? `${clean(expression)}: ${observation}` : null,
    result:
      verdict === 'met'
        ? null
        : {
            tag: 'failure',
            type: verdict,
            message: `${verdict}: ${observation}`,
            text: clean(message),
          },
  }
}

function casesOfIntegrity({ integrity, config }: LoadReport): readonly JUnitCase[] {
  const broken = integrity.findings.map(({ id, level, title, broken, of, rate, first }) => {
    const found = `violated in ${broken} of ${of}, ${percent(rate)}`
    const event = first.event === null ? '' : `, event ${first.event}`
    const text = `${clean(first.why)}\nfirst: request ${first.index}.${first.step} at ${figure(first.atMs)} ms, ${clean(first.operation)}${event}, X-Request-Id ${clean(first.requestId)}`
    const name = `${id} ${title}`
    return isViolation({ level }, config)
      ? caseOf(name, { tag: 'failure', type: 'violated', message: found, text })
      : { ...caseOf(name, null), output: `warning: ${id} ${found}: ${clean(first.why)}` }
  })
  const held = integrity.held.map((id) => caseOf(`${id} passed in every response`, null))
  return [...broken, ...held]
}

function caseOfGenerator({ generator }: LoadReport): JUnitCase {
  const { verdict, reasons, timestampError } = generator
  const error = timestampError === null ? 'unknown' : `p99 ${figure(timestampError.p99)} ms`
  const name = 'the load generator was not the bottleneck'
  const text = reasons.map(clean).join('\n')
  if (verdict === 'invalid') {
    return caseOf(name, { tag: 'error', type: 'invalid', message: reasons[0] ?? verdict, text })
  }
  const output = [`generator ${verdict}, timestamp error ${error}`, ...reasons.map(clean)].join(
    '; ',
  )
  return { ...caseOf(name, null), output }
}

function casesOfAudits({ audits }: LoadReport): readonly JUnitCase[] {
  return audits.map(({ name, verdict, message }) => {
    if (verdict === 'pass') return caseOf(name, null)
    const tag = verdict === 'fail' ? 'error' : 'skipped'
    return caseOf(name, { tag, type: 'audit', message, text: '' })
  })
}

function casesOfRun({ faults, interrupted, partial }: LoadReport): readonly JUnitCase[] {
  const error = (name: string, message: string) =>
    caseOf(name, { tag: 'error', type: 'internal error', message: clean(message), text: '' })
  return [
    ...faults.map((fault) => faultCase('internal error', fault)),
    ...(interrupted ? [error('run completed', 'interrupted')] : []),
    ...(partial === undefined ? [] : [error('all shards present', partialText(partial))]),
  ]
}

function propertiesOf(report: LoadReport) {
  const { outcome, target, seed, suite, plan, interrupted, disturbances } = report
  const doubt = doubtWord(report)
  return {
    outcome,
    ...(doubt === null ? {} : { digest: doubt }),
    summary: outcomeText(report),
    errors: disturbanceText(disturbances),
    target: target.baseUrl,
    load: clean(planText(report)),
    'plan.hash': plan.hash,
    seed,
    interrupted: String(interrupted),
    'kit.version': suite.version,
    'interface.version': suite.interface,
  }
}
