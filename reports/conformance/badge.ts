import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { doubtWord, isEdited } from '../text/digest.ts'
import { element, xmlText } from '../text/xml.ts'
import { countsText, summarize } from './summary.ts'

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
  return badge([report.outcome, ...numbers, ...doubts], report.outcome, [
    report.outcome,
    countsText(summarize(report)),
    ...doubts,
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
