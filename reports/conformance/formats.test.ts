import fc from 'fast-check'
import { XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import type { Exchange } from '../../contract/index.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { toMarkdown } from '../document/markdown.ts'
import { conforming, exchanges, requirement, violated } from '../test-support/reports.ts'
import { reportToBadge } from './badge.ts'
import { conformanceDocument } from './document.ts'
import { reportToGitHub, withoutCommands } from './github.ts'
import { reportToJUnit } from './junit/junit.ts'

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

test('an annotation for each cause', () => {
  expect(reportToGitHub(violated)).toMatchInlineSnapshot(`
    "::notice title=chatgen check::VIOLATED: 3 passed, 5 violated (1 known), 4 undecided of 12 required requirements; 1 warning; 1 stale baseline entry
    ::error title=V3-IDEM-02::V3-IDEM-02 (section 4.3): A repeat with the same Idempotency-Key MUST NOT add a second step (JSON body).%0Afound: the history has 2 steps & <b>one</b> key \`\`
    ::error title=V3-SSE-05::V3-SSE-05 (section 6): The first event MUST be response.created, and it MUST occur exactly once.%0Afound: the first event is response.output_item.added
    ::error title=OAI-CHAT-09%2C OAI-CHAT-06::2 requirements violated, same cause: usage is missing%0AOAI-CHAT-09 (section 2.2): The usage of a completion MUST have prompt_tokens, completion_tokens and total_tokens, all integers.%0AOAI-CHAT-06 (section 2.2): The choices of a completion MUST be an array that holds the answer, and each choice MUST have an integer index.
    ::error title=V3-HIST-01%3A stale baseline entry::V3-HIST-01 passes now: delete its entry
    ::error title=internal error%3A v3-idempotency/racing::TypeError: turns is undefined\\n  at x
    ::warning title=V3-SSE-07::V3-SSE-07 (section 6): sequence_number SHOULD increase strictly.%0Afound: sequence_number 3 follows 3
    "
  `)
})

test('a run without a MUST says how many SHOULD passed', () => {
  const requirements = [requirement('OAI-N-01', 'pass'), requirement('V3-SSE-07', 'warn')]
  const text = reportToGitHub({ ...conforming, requirements })
  expect(text).toContain('CONFORMS: no MUST was judged, 1 of 2 SHOULD passed; 1 warning')
})

test('where everything holds, the outcome', () => {
  expect(reportToGitHub(conforming)).toMatchInlineSnapshot(`
    "::notice title=chatgen check::CONFORMS: 3 passed, 0 violated, 0 undecided of 3 required requirements
    "
  `)
})

test('warnings are errors if they count', () => {
  expect(reportToGitHub({ ...violated, strict: true })).toContain('::error title=V3-SSE-07::')
})

test('no message makes a command of its own', () => {
  const text = fc.string({ unit: fc.constantFrom('\n', '\r', ':', ',', '%', 'error', ' ', '::') })
  fc.assert(
    fc.property(text, text, (message, scenario) => {
      const requirements = [requirement('V3-SSE-05', 'fail', { message })]
      const report = { ...violated, requirements, faults: [{ scenario, message }] }
      const lines = reportToGitHub(report).trimEnd().split('\n')
      expect(lines).toHaveLength(4)
      for (const line of lines) {
        expect(line).toMatch(/^::(error|notice) title=[^:,\r\n]*::[^\r\n]*$/)
        expect(line).not.toMatch(/%(?!25|0D|0A|3A|2C)/)
      }
    }),
  )
})

test('commands in the text of a target are stopped', () => {
  expect(withoutCommands('body:\n  ::error::x', 't-1')).toBe(
    '::stop-commands::t-1\nbody:\n  ::error::x\n::t-1::',
  )
})

const of = (brokenBy: readonly string[]) => {
  const found = { message: 'the name is lost', scenarios: [...brokenBy], exchanges: ['x4', 'x5'] }
  const broken = { ...requirement('V3-CHAT-10', 'fail', found), brokenBy: [...brokenBy] }
  return { ...violated, requirements: [broken] }
}

test.each([
  [
    'Markdown',
    (report: ConformanceReport, all: ReadonlyMap<string, Exchange>) =>
      toMarkdown(conformanceDocument(report, all)),
    1,
  ],
  ['JUnit', reportToJUnit, 1],
  ['GitHub', reportToGitHub, 0],
] as const)('%s shows each request of a random sequence as a command', (_, write, ofScenario) => {
  const commands = (brokenBy: readonly string[]) =>
    [...write(of(brokenBy), exchanges).matchAll(/curl -i/g)].length
  expect(commands(['explore'])).toBe(2)
  expect(commands(['a-scenario'])).toBe(ofScenario)
})
