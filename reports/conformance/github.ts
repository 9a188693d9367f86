import type { Exchange } from '../../contract/index.ts'
import type { ConformanceReport, RequirementResult } from '../../contract/report/conformance.ts'
import { toCurl } from '../text/curl/curl.ts'
import { doubtText, isEdited } from '../text/digest.ts'
import { annotation, clean, type Level } from '../text/escape.ts'
import { causeText, type Findings, foldFindings, saysTheSame } from '../text/fold.ts'
import { checkOutcome } from './summary.ts'
import { isSequence } from './violations.ts'

/**
 * Annotations as GitHub Actions reads them from the output of a step: an error for each cause of
 * violations, each stale baseline entry and each internal error, a warning for each cause of warnings,
 * and the outcome. GitHub shows ten errors and ten warnings of a step; findings
 * that share a cause are one.
 */
export function reportToGitHub(
  report: ConformanceReport,
  exchanges: ReadonlyMap<string, Exchange> = new Map(),
): string {
  const { requirements, strict, baseline, faults } = report
  const { word, reservation = '', text } = checkOutcome(report)
  const open = requirements.filter(({ known }) => !known)
  const findings = (verdict: RequirementResult['verdict']) =>
    foldFindings(open.filter((requirement) => requirement.verdict === verdict))
  const doubt = doubtText(report)
  const lines = [
    ...(doubt === null
      ? []
      : [annotation(isEdited(report) ? 'error' : 'warning', 'chatgen', doubt)]),
    annotation(
      'notice',
      'chatgen check',
      `${word.toUpperCase()}${reservation && ` ${reservation}`}: ${text}`,
    ),
    ...findings('fail').map((found) => annotationOf('error', found, exchanges)),
    ...(baseline?.problems ?? []).map(({ id, message }) =>
      annotation('error', `${id}: stale baseline entry`, clean(message)),
    ),
    ...faults.map(({ scenario, message }) =>
      annotation('error', `internal error: ${scenario}`, clean(message)),
    ),
    ...findings('warn').map((found) =>
      annotationOf(strict ? 'error' : 'warning', found, exchanges),
    ),
  ]
  return `${lines.join('\n')}\n`
}

/**
 * Text that quotes a target, such that no line of it is taken for a command. The token must be one
 * that the target cannot know.
 */
export function withoutCommands(text: string, token: string): string {
  return `::stop-commands::${token}\n${text}\n::${token}::`
}

function annotationOf(
  level: Level,
  findings: Findings,
  exchanges: ReadonlyMap<string, Exchange>,
): string {
  const { requirements } = findings
  const same = saysTheSame(findings)
  const title = requirements.map(({ id }) => id).join(', ')
  const cause = causeText(findings)
  const lines = [
    ...(cause === null ? [] : [clean(cause)]),
    ...requirements.flatMap((requirement) => [
      `${requirement.id} (section ${requirement.section}): ${clean(requirement.title)}`,
      ...(same && cause !== null ? [] : [`found: ${clean(requirement.message ?? 'no message')}`]),
    ]),
    ...(isSequence(requirements)
      ? requirements.flatMap((requirement) => requirement.exchanges)
      : []
    ).flatMap((id) => {
      const exchange = exchanges.get(id)
      return exchange === undefined ? [] : toCurl(exchange).split('\n')
    }),
  ]
  return annotation(level, title, lines.join('\n'))
}
