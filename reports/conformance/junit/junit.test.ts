import { parse } from 'junit2json'
import { describe, expect, test } from 'vitest'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { conforming, exchanges, violated } from '../../test-support/reports.ts'
import { reportToJUnit } from './junit.ts'

const strict: ConformanceReport = { ...violated, strict: true }

test('a suite has a case for each requirement of its area, with the evidence of a violation', () => {
  const xml = reportToJUnit(violated, exchanges).replaceAll(/<prop[\s\S]*?<\/properties>\n/g, '')
  expect(xml).toContain('<testsuites tests="18" failures="5" errors="2" time="0.065">')
  expect(/<testsuite id="2"[\s\S]*?<\/testsuite>/.exec(xml)?.[0]).toMatchInlineSnapshot(`
    "<testsuite id="2" name="V3-IDEM" package="chatgen-conformance" hostname="127.0.0.1" timestamp="2026-01-02T03:04:05" tests="2" failures="1" errors="1" skipped="0" time="0.025">
    <testcase name="V3-IDEM-02 A repeat with the same Idempotency-Key MUST NOT add a second step (JSON body)." classname="V3-IDEM" time="0.025"><failure type="violated" message="the history has 2 steps &amp; &lt;b&gt;one&lt;/b&gt; key \`\`">V3-IDEM-02 (required, section 4.3): A repeat with the same Idempotency-Key MUST NOT add a second step (JSON body).
    found: the history has 2 steps &amp; &lt;b&gt;one&lt;/b&gt; key \`\`
    likely cause and fix: The Idempotency-Key is not stored, or only after the run has ended; store key and run atomically before the generation starts, and answer a repeat from it.
    document: section 4.3, Native v3, /api/v3: POST /message/generate needs an Idempotency-Key and answers with the final response object or with a stream; a repeat with the same key creates no duplicate step.
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

test('every suite says what the whole run came to', () => {
  const [properties] = reportToJUnit(violated, exchanges).match(/<prop[\s\S]*?<\/properties>/) ?? []
  expect(properties).toMatchInlineSnapshot(`
    "<properties>
    <property name="outcome" value="violated"/>
    <property name="passed" value="3"/>
    <property name="violated" value="5"/>
    <property name="known" value="1"/>
    <property name="undecided" value="4"/>
    <property name="required" value="12"/>
    <property name="target" value="http://127.0.0.1:4010"/>
    <property name="profile" value="full"/>
    <property name="seed" value="seed-1"/>
    <property name="strict" value="false"/>
    <property name="interrupted" value="false"/>
    <property name="kit.version" value="0.1.0"/>
    <property name="interface.version" value="2026-01"/>
    <property name="traffic.answers" value="41"/>
    <property name="traffic.429" value="0"/>
    <property name="traffic.5xx" value="0"/>
    <property name="traffic.unanswered" value="0"/>
    <property name="traffic.cut" value="0"/>
    <property name="traffic.timeouts" value="0"/>
    <property name="traffic.retries" value="0"/>
    </properties>"
  `)
})

describe('other readers see', () => {
  test('the counts that the suites state', async () => {
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

  test('each requirement once, red if it is violated and green only if it holds', async () => {
    const results = (await casesOf(violated)).map(({ name, result }) => [
      name.split(' ')[0],
      result,
    ])
    for (const { id, verdict, known } of violated.requirements) {
      const result =
        verdict === 'fail' && !known
          ? 'failure'
          : verdict === 'error'
            ? 'error'
            : verdict === 'pass' || verdict === 'warn'
              ? 'none'
              : 'skipped'
      expect(results.filter(([name]) => name === id)).toEqual([[id, result]])
    }
  })

  test('a warning as a failure if it is strict', async () => {
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
