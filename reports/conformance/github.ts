import type { Exchange } from '../../contract/index.ts'
import type { ConformanceReport, RequirementResult } from '../../contract/report/conformance.ts'
import { toCurl } from '../text/curl/curl.ts'
import { doubtText, doubtWord, isEdited } from '../text/digest.ts'
import { annotation, clean, element, type Level, xmlText } from '../text/escape.ts'
import { causeText, type Findings, foldFindings, saysTheSame } from '../text/fold.ts'
import { checkOutcome, countsText, selectedText, summarize } from './summary.ts'
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

/**
 * A badge for a README: the outcome and the counts, never a percentage. It is readable
 * without colors, and its title says the same to a screen reader.
 */
export function reportToBadge(report: ConformanceReport): string {
  const { passed, violated, undecided } = summarize(report)
  const doubt = doubtWord(report)
  const doubts = doubt === null ? [] : [doubt]
  // A badge shows no verdict of an edited report.
  if (isEdited(report)) return badge(doubts, 'edited')
  const numbers = [`${passed} passed`, `${violated} violated`, `${undecided} undecided`]
  const more = [selectedText(report) ?? [], doubts].flat()
  return badge([report.outcome, ...numbers, ...more], report.outcome, [
    report.outcome,
    countsText(summarize(report)),
    ...more,
  ])
}

/** Draws a badge. `phrases`: those of its title, if different from the visible ones. */
export function badge(
  texts: readonly string[],
  color: keyof typeof colors,
  phrases: readonly string[] = texts,
): string {
  const label = 'chatgen'
  const value = texts.join(' · ')
  const title = `${label}: ${phrases.join(', ')}`
  const left = widthOf(label)
  const right = widthOf(value)
  const parts = [
    element('title', {}, xmlText(title)),
    element('rect', { width: left + right, height, rx: 3, fill: '#24292f' }),
    element('path', {
      d: `M${left} 0h${right - 3}a3 3 0 0 1 3 3v${height - 6}a3 3 0 0 1-3 3h-${right - 3}z`,
      fill: colors[color],
    }),
    textAt(0, left, label),
    textAt(left, right, value),
  ]
  return `${element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width: left + right,
      height,
      viewBox: `0 0 ${left + right} ${height}`,
      role: 'img',
      'aria-label': title,
    },
    `\n${parts.join('\n')}\n`,
  )}\n`
}

const height = 20

/** Contrast with white text: at least 4.5. */
const colors = {
  conforms: '#1a7f37',
  violated: '#cf222e',
  incomplete: '#9a6700',
  edited: '#57606a',
} as const

/** Average width of a letter at 11 pixels: 6.3; `textLength` absorbs the difference. */
function widthOf(text: string): number {
  return Math.round(text.length * 6.3) + 12
}

function textAt(x: number, width: number, text: string): string {
  return element(
    'text',
    {
      x: x + 6,
      y: 14,
      textLength: width - 12,
      lengthAdjust: 'spacingAndGlyphs',
      fill: '#fff',
      'font-family': 'Verdana, DejaVu Sans, sans-serif',
      'font-size': 11,
      'aria-hidden': 'true',
    },
    xmlText(text),
  )
}
