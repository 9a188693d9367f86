import { expect, test } from 'vitest'
import { type LoadReport, loadOutcomes } from '../../../contract/report/load/report.ts'
import { loadReportOf } from '../../../reports/load/test-support/sketch.ts'
import { exitCodeOfLoad } from '../exit-codes.ts'
import { formatsIn } from '../results/formats.ts'
import { loadKind } from './output/report-formats.ts'

const codes: Readonly<Record<LoadReport['outcome'], number>> = {
  met: 0,
  missed: 1,
  violated: 1,
  undecided: 5,
  invalid: 6,
}
const style = { color: false, width: 100, verbose: false }

test.each(loadOutcomes)(
  'the exit code and every form of a report read the outcome %s from it, whatever its SLO rows say',
  (outcome) => {
    const report = loadReportOf({ outcome, interrupted: false, faults: [] })
    expect(exitCodeOfLoad(report)).toBe(codes[outcome])
    expect(exitCodeOfLoad({ ...report, interrupted: true })).toBe(130)
    expect(exitCodeOfLoad({ ...report, faults: ['x'] })).toBe(codes[outcome] === 1 ? 1 : 4)
    const word = wordOf(outcome)
    const expectedTexts: Readonly<Record<string, string>> = {
      console: `${word.toUpperCase()}  `,
      json: `"outcome": "${outcome}"`,
      junit: `<property name="outcome" value="${outcome}"/>`,
      html: headingOf(outcome),
      markdown: ` ${word}`,
    }
    const others = loadOutcomes.filter((one) => one !== outcome)
    const texts = new Map(
      formatsIn(loadKind, Object.keys(loadKind.formats)).map(({ name, render }) => [
        name,
        render(report, style, undefined),
      ]),
    )
    for (const [name, expected] of Object.entries(expectedTexts)) {
      const text = texts.get(name) ?? ''
      expect(text).toContain(expected)
      for (const other of others) {
        expect(text).not.toContain(headingOf(other))
        expect(text).not.toContain(`"outcome": "${other}"`)
      }
    }
    expect(texts.get('markdown')).toMatch(new RegExp(`^## \\S+ ${word}`))
  },
)

function wordOf(outcome: string): string {
  return `${outcome.slice(0, 1).toUpperCase()}${outcome.slice(1)}`
}

/** Heading of the page, without the color of its word. */
function headingOf(outcome: string): string {
  return `>${wordOf(outcome)}</span> <span class="target">`
}
