import { XMLValidator } from 'fast-xml-parser'
import { parse } from 'junit2json'
import { describe, expect, test } from 'vitest'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { toMarkdown } from '../document/markdown.ts'
import { conforming, exchanges, reportOf, requirement, violated } from '../test-support/reports.ts'
import { conformanceDocument } from './document.ts'
import { reportToBadge, reportToGitHub } from './github.ts'
import { reportToJUnit } from './junit.ts'

const strict: ConformanceReport = { ...violated, strict: true }

test('a badge shows the outcome and three totals', () => {
  expect(reportToBadge(violated)).toMatchInlineSnapshot(`
    "<svg xmlns="http://www.w3.org/2000/svg" width="358" height="20" viewBox="0 0 358 20" role="img" aria-label="chatgen: violated, 3 passed, 5 violated (1 known), 5 undecided of 13 required requirements">
    <title>chatgen: violated, 3 passed, 5 violated (1 known), 5 undecided of 13 required requirements</title>
    <rect width="358" height="20" rx="3" fill="#24292f"/>
    <path d="M56 0h299a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-299z" fill="#cf222e"/>
    <text x="6" y="14" textLength="44" lengthAdjust="spacingAndGlyphs" fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" aria-hidden="true">chatgen</text>
    <text x="62" y="14" textLength="290" lengthAdjust="spacingAndGlyphs" fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" aria-hidden="true">violated · 3 passed · 5 violated · 5 undecided</text>
    </svg>
    "
  `)
})

test.each([
  ['conforms', '#1a7f37'],
  ['violated', '#cf222e'],
  ['incomplete', '#9a6700'],
] as const)('a badge of %s has its color and the selection, and is valid XML', (outcome, color) => {
  const badge = reportToBadge({ ...conforming, outcome, unselected: 240 })
  expect(badge).toContain(`fill="${color}"`)
  expect(badge).toContain(`<title>chatgen: ${outcome}, 3 passed`)
  expect(badge).toMatch(/, \d of 24\d requirements selected</)
  expect(XMLValidator.validate(badge)).toBe(true)
})

test('GitHub annotations have one for each cause', () => {
  expect(reportToGitHub(violated)).toMatchInlineSnapshot(`
    "::notice title=chatgen check::VIOLATED: 3 passed, 5 violated (1 known), 5 undecided of 13 required requirements; 1 warning; 1 stale baseline entry; 1 internal error
    ::error title=V3-IDEM-02::V3-IDEM-02 (section 4.3): A repeat with the same Idempotency-Key MUST NOT add a second step (JSON body).%0Afound: the history has 2 steps & <b>one</b> key \`\`
    ::error title=V3-SSE-05::V3-SSE-05 (section 6): The first event MUST be response.created, and it MUST occur exactly once.%0Afound: the first event is response.output_item.added
    ::error title=OAI-CHAT-09%2C OAI-CHAT-06::2 requirements violated, same cause: usage is missing%0AOAI-CHAT-09 (section 2.2): The usage of a completion MUST have prompt_tokens, completion_tokens and total_tokens, all integers.%0AOAI-CHAT-06 (section 2.2): The choices of a completion MUST be an array that contains the answer, and each choice MUST have an integer index.
    ::error title=V3-HIST-01%3A stale baseline entry::V3-HIST-01 passes now: delete its entry
    ::error title=internal error%3A v3-idempotency/racing::TypeError: turns is undefined\\n  at x
    ::warning title=V3-SSE-07::V3-SSE-07 (section 6): sequence_number SHOULD increase strictly.%0Afound: sequence_number 3 follows 3
    "
  `)
})

test('GitHub annotations of a conforming run are its outcome, counting what was judged', () => {
  const head = '::notice title=chatgen check::CONFORMS:'
  const counts = '3 passed, 0 violated, 0 undecided of 3 required requirements'
  expect(reportToGitHub(conforming)).toBe(`${head} ${counts}\n`)
  const requirements = [requirement('OAI-N-01', 'pass'), requirement('V3-SSE-07', 'warn')]
  const text = reportToGitHub({ ...conforming, requirements })
  expect(text).toContain(`${head} no MUST was judged, 1 of 2 SHOULD passed; 1 warning`)
})

test('GitHub annotations of warnings are errors if the run is strict', () => {
  expect(reportToGitHub(strict)).toContain('::error title=V3-SSE-07::')
})

test.each<[string, (report: ConformanceReport, all: typeof exchanges) => string, number]>([
  ['Markdown', (report, all) => toMarkdown(conformanceDocument(report, all)), 1],
  ['JUnit', reportToJUnit, 1],
  ['GitHub', reportToGitHub, 0],
])('%s shows each request of a random sequence as a command', (_, write, ofScenario) => {
  const commands = (name: string) => {
    const found = { message: 'the name is lost', scenarios: [name], exchanges: ['x4', 'x5'] }
    const broken = requirement('V3-CHAT-10', 'fail', { ...found, brokenBy: [name] })
    return [...write(reportOf([broken]), exchanges).matchAll(/curl -i/g)].length
  }
  expect(commands('explore')).toBe(2)
  expect(commands('a-scenario')).toBe(ofScenario)
})

test('JUnit has a suite per area and a case per requirement with evidence', () => {
  const xml = reportToJUnit(violated, exchanges).replaceAll(/<prop[\s\S]*?<\/properties>\n/g, '')
  expect(xml).toContain('<testsuites tests="18" failures="5" errors="2" time="0.065">')
  expect(/<testsuite id="2"[\s\S]*?<\/testsuite>/.exec(xml)?.[0]).toMatchInlineSnapshot(`
    "<testsuite id="2" name="V3-IDEM" package="chatgen-conformance" hostname="127.0.0.1" timestamp="2026-01-02T03:04:05" tests="2" failures="1" errors="1" skipped="0" time="0.025">
    <testcase name="V3-IDEM-02 A repeat with the same Idempotency-Key MUST NOT add a second step (JSON body)." classname="V3-IDEM" time="0.025"><failure type="violated" message="the history has 2 steps &amp; &lt;b&gt;one&lt;/b&gt; key \`\`">V3-IDEM-02 (required, section 4.3): A repeat with the same Idempotency-Key MUST NOT add a second step (JSON body).
    found: the history has 2 steps &amp; &lt;b&gt;one&lt;/b&gt; key \`\`
    likely cause and fix: The Idempotency-Key is not stored, or only after the run has ended; store key and run atomically before the generation starts, and answer a repeat from it.
    document: section 4.3, Native v3, /api/v3: A generation in a chat needs an Idempotency-Key, any string, and a repeat with the same key creates no duplicate step.
    scenario: v3-idempotency/a-repeat
    request (x4):
      curl -i -X POST http://127.0.0.1:4010/api/v3/message/generate \\
        -H "Authorization: Bearer $CHATGEN_API_KEY" \\
        -H 'content-type: application/json' \\
        -H 'idempotency-key: turn-1' \\
        --data-raw '{"chat_id":"0b6e","input":"ping"}'
    response: 200 application/json, 54 bytes in 12.3 ms
      {"note":"\\x1b[2J&lt;/td&gt;&lt;/system-out&gt;]]&gt;\\uffff\`\`\`\\n::error::x"}
    see x5: GET http://127.0.0.1:4010/api/v3/message?chat_id=0b → 200 application/json, 0 bytes in 12.3 ms
    x6 is not among the recorded exchanges</failure></testcase>
    <testcase name="V3-IDEM-05 Concurrent requests with one Idempotency-Key MUST create one step." classname="V3-IDEM" time="0.000"><error type="internal error" message="TypeError: turns is undefined"/></testcase>
    <system-out></system-out>
    <system-err></system-err>
    </testsuite>"
  `)
  expect(xml.slice(xml.indexOf('<testsuite id="9"'))).toMatchInlineSnapshot(`
    "<testsuite id="9" name="baseline" package="chatgen-conformance" hostname="127.0.0.1" timestamp="2026-01-02T03:04:05" tests="1" failures="1" errors="0" skipped="0" time="0.000">
    <testcase name="baseline entry of V3-HIST-01" classname="baseline" time="0.000"><failure type="baseline: passes" message="V3-HIST-01 passes now: delete its entry"/></testcase>
    <system-out></system-out>
    <system-err></system-err>
    </testsuite>
    <testsuite id="10" name="chatgen" package="chatgen-conformance" hostname="127.0.0.1" timestamp="2026-01-02T03:04:05" tests="1" failures="0" errors="1" skipped="0" time="0.000">
    <testcase name="v3-idempotency/racing" classname="chatgen" time="0.000"><error type="internal error" message="TypeError: turns is undefined">TypeError: turns is undefined
    at x</error></testcase>
    <system-out></system-out>
    <system-err></system-err>
    </testsuite>
    </testsuites>
    "
  `)
  expect(xml).toContain('<system-out>warning: V3-SSE-07 sequence_number 3 follows 3</system-out>')
  expect(xml).toContain(
    '<skipped message="known: because the gateway answers (CHAT-17, until 2026-12-31)">found: answered with 422</skipped>',
  )
})

test('JUnit suites have the properties of the run', () => {
  const xml = reportToJUnit(violated, exchanges)
  const blocks = xml.match(/<properties>.*?<\/properties>/gs) ?? []
  expect(blocks).toHaveLength([...xml.matchAll(/<testsuite /g)].length)
  expect(new Set(blocks).size).toBe(1)
  const [first = ''] = blocks
  const properties = [...first.matchAll(/<property name="(.*)" value="(.*)"/g)].map(
    ([, name, value]) => [name, value],
  )
  const numbers = { passed: '3', violated: '5', known: '1', undecided: '5', required: '13' }
  const traffic = ['429', '5xx', 'unanswered', 'cut', 'timeouts', 'retries']
  expect(Object.fromEntries(properties)).toEqual({
    ...{ outcome: 'violated', ...numbers, target: 'http://127.0.0.1:4010', profile: 'full' },
    ...{ seed: 'seed-1', strict: 'false', interrupted: 'false', 'kit.version': '0.1.0' },
    ...{ 'interface.version': '2026-01', 'traffic.answers': '41' },
    ...Object.fromEntries(traffic.map((name) => [`traffic.${name}`, '0'])),
  })
})

describe('JUnit in another reader', () => {
  test('has the totals of its suites', async () => {
    for (const report of [violated, strict, conforming]) {
      const cases = await casesOf(report)
      for (const { name, tests, failures, errors, skipped } of await suitesOf(report)) {
        const own = cases.filter(({ suite }) => suite === name)
        const number = (result: string) => own.filter((one) => one.result === result).length
        expect([tests, failures, errors, skipped]).toEqual([
          own.length,
          number('failure'),
          number('error'),
          number('skipped'),
        ])
      }
    }
  })

  test('has each requirement once, failed if violated and passed only if held', async () => {
    const results = (await casesOf(violated)).map(({ name, result }) => [
      name.split(' ')[0],
      result,
    ])
    for (const { id, verdict, known } of violated.requirements) {
      const elements: Partial<Record<typeof verdict, string>> = {
        ...{ error: 'error', pass: 'none', warn: 'none', ...(!known && { fail: 'failure' }) },
      }
      const result = elements[verdict] ?? 'skipped'
      expect(results.filter(([name]) => name === id)).toEqual([[id, result]])
    }
  })

  test('has a warning as a failure if the run is strict', async () => {
    const warned = (await casesOf(strict)).find(({ name }) => name.startsWith('V3-SSE-07'))
    expect(warned?.result).toBe('failure')
  })
})

async function suitesOf(report: ConformanceReport) {
  const read = await parse(reportToJUnit(report, exchanges))
  return read && 'testsuite' in read ? (read.testsuite ?? []) : []
}

async function casesOf(report: ConformanceReport) {
  return (await suitesOf(report)).flatMap(({ name: suite, testcase = [] }) =>
    testcase.map((one) => ({
      suite,
      name: one.name ?? '',
      result: (['failure', 'error', 'skipped'] as const).find((result) => one[result]) ?? 'none',
    })),
  )
}
