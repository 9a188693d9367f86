import { XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { conforming, violated } from '../test-support/reports.ts'
import { reportToBadge } from './badge.ts'

test('a badge says the outcome and the three numbers', () => {
  expect(reportToBadge(violated)).toMatchInlineSnapshot(`
    "<svg xmlns="http://www.w3.org/2000/svg" width="358" height="20" viewBox="0 0 358 20" role="img" aria-label="chatgen: violated, 3 passed, 5 violated (1 known), 4 undecided of 12 required requirements">
    <title>chatgen: violated, 3 passed, 5 violated (1 known), 4 undecided of 12 required requirements</title>
    <rect width="358" height="20" rx="3" fill="#24292f"/>
    <path d="M56 0h299a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-299z" fill="#cf222e"/>
    <text x="6" y="14" textLength="44" lengthAdjust="spacingAndGlyphs" fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" aria-hidden="true">chatgen</text>
    <text x="62" y="14" textLength="290" lengthAdjust="spacingAndGlyphs" fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" aria-hidden="true">violated · 3 passed · 5 violated · 4 undecided</text>
    </svg>
    "
  `)
})

test.each([
  ['conforms', '#1a7f37'],
  ['violated', '#cf222e'],
  ['incomplete', '#9a6700'],
] as const)('%s has its color, and is XML', (outcome, color) => {
  const badge = reportToBadge({ ...conforming, outcome })
  expect(badge).toContain(`fill="${color}"`)
  expect(badge).toContain(`<title>chatgen: ${outcome}, 3 passed`)
  expect(XMLValidator.validate(badge)).toBe(true)
})
