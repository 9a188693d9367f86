import { describe, expect, test } from 'vitest'
import type { ConformanceReport, Verdict } from '../../contract/report/conformance.ts'
import { toTerminal } from '../document/terminal.ts'
import { reportOf, resultOf } from '../test-support/reports.ts'
import { type Cause, type Comparison, compareReports } from './compare.ts'
import { conditionsOf, type RunSettings } from './conditions.ts'
import { comparisonDocument } from './document.ts'

const id = 'V3-SSE-07'
const one = (verdict: Verdict | null) =>
  reportOf(verdict === null ? [] : [resultOf({ id, verdict })])

describe('compareReports on a requirement', () => {
  test.each<[Verdict | null, Verdict | null, string]>([
    ['pass', 'fail', 'newlyViolated'],
    ['unproven', 'fail', 'newlyViolated'],
    ['warn', 'fail', 'newlyViolated'],
    [null, 'fail', 'newlyViolated'],
    ['pass', 'warn', 'newlyWarned'],
    ['inconclusive', 'warn', 'newlyWarned'],
    ['fail', 'warn', 'otherwise'],
    ['pass', 'inconclusive', 'newlyUnproven'],
    ['pass', 'unproven', 'newlyUnproven'],
    ['pass', 'error', 'newlyUnproven'],
    ['pass', 'not-applicable', 'newlyUnproven'],
    ['pass', null, 'newlyUnproven'],
    ['fail', 'pass', 'repaired'],
    ['warn', 'pass', 'repaired'],
    ['fail', 'inconclusive', 'otherwise'],
    ['fail', null, 'otherwise'],
    ['unproven', 'inconclusive', 'otherwise'],
    ['unproven', 'pass', 'newlyProven'],
    [null, 'pass', 'newlyProven'],
  ])('from %s to %s lists it in %s only', (before, after, list) => {
    const comparison = compareReports(one(before), one(after))
    expect(changesIn(comparison)).toMatchObject([{ list, id, before, after, rejudged: null }])
    expect(comparison).toMatchObject({ unchanged: 0, drift: [] })
  })

  test.each(['pass', 'fail', 'unproven'] as const)('that stays %s lists nothing', (verdict) => {
    const comparison = compareReports(one(verdict), one(verdict))
    expect(changesIn(comparison)).toEqual([])
    expect(comparison.unchanged).toBe(1)
  })
})

test('a new warning is worse if the run is strict', () => {
  const wordOf = (strict: boolean) => {
    const [a, b] = [one('pass'), { ...one('warn'), strict }]
    return comparisonDocument({ comparison: compareReports(a, b), a, b, notes: [] }).outcome.word
  }
  expect([wordOf(false), wordOf(true)]).toEqual(['Not worse', 'Worse'])
})

describe('the cause of a change', () => {
  test.each<[Verdict, Verdict, Verdict, Cause]>([
    ['pass', 'fail', 'pass', 'target'],
    ['pass', 'fail', 'fail', 'kit'],
    ['fail', 'pass', 'fail', 'target'],
    ['fail', 'pass', 'pass', 'kit'],
    ['pass', 'inconclusive', 'inconclusive', 'kit'],
    // The recording lacks requests of this kit: that says nothing about the target.
    ['pass', 'fail', 'inconclusive', 'unknown'],
    ['pass', 'inconclusive', 'fail', 'both'],
  ])('from %s to %s, with A rejudged as %s, is %s', (before, after, rejudged, cause) => {
    const comparison = compareReports(one(before), one(after), { rejudged: one(rejudged) })
    expect(changesIn(comparison)).toMatchObject([{ before, after, rejudged, cause }])
    expect(comparison.drift).toEqual([])
  })

  test('is the profile if it changes a capability', () => {
    const having = (verdict: Verdict, capabilities: Readonly<Record<string, boolean>>) =>
      reportOf([resultOf({ id: 'RAG-01', verdict })], {
        target: { baseUrl: 'http://a', profile: 'full', capabilities },
      })
    const a = having('pass', { rag: true })
    for (const b of [having('not-applicable', { rag: false }), having('unproven', {})]) {
      const { newlyUnproven } = compareReports(a, b, { rejudged: a })
      expect(newlyUnproven).toMatchObject([{ cause: 'profile' }])
    }
  })
})

describe('the cause of a change between runs with other settings', () => {
  const at = (verdict: Verdict, baseUrl = 'http://a', rowId = id) =>
    reportOf([resultOf({ id: rowId, level: 'required', verdict })], {
      target: { baseUrl, profile: 'full', capabilities: {} },
    })
  const settingsOf = (profile: object, only: readonly string[] = []): RunSettings => ({
    selection: { only, skip: [] },
    explore: 0,
    profile: { baseUrl: 'http://a', ...profile },
  })
  const limits = (timeoutMs: number) => settingsOf({ limits: { timeoutMs, settleMs: 1 } })
  const none = settingsOf({})
  const otherKey = settingsOf({ otherKey: '[other key]' })
  const explored = { ...none, explore: 9 }
  const quick: ConformanceReport = { ...at('pass'), depth: 'quick' }
  const [passed, failed, needy] = [at('pass'), at('fail'), 'V3-ATT-11']
  type Sides = readonly [
    a: ConformanceReport,
    of: RunSettings,
    b: ConformanceReport,
    of: RunSettings | null,
  ]

  test.each<[string, Sides, Cause, readonly string[]]>([
    ['no setting', [passed, otherKey, failed, otherKey], 'target', []],
    [
      'a field that the requirement needs',
      [at('pass', 'http://a', needy), otherKey, at('unproven', 'http://a', needy), none],
      ...(['profile', ['otherKey']] as const),
    ],
    ['a field of unknown effect', [passed, limits(1), failed, limits(2)], 'target or profile', []],
    ['an unknown profile', [passed, none, failed, null], 'target or profile', []],
    ['another URL', [passed, none, at('fail', 'http://b'), none], 'address', []],
    ['a trailing slash', [passed, none, at('fail', 'http://a/'), none], 'target', []],
    ['another depth', [quick, none, { ...failed, depth: 'full' }, none], 'depth', []],
    ['exploring', [quick, none, { ...failed, depth: 'quick' }, explored], 'depth', []],
    ['another selection', [passed, none, reportOf([]), settingsOf({}, ['OAI-*'])], 'selection', []],
  ])('is right if the difference is %s', (_, [a, settingsA, b, settingsB], cause, members) => {
    const sides = [
      { report: a, settings: settingsA },
      { report: b, settings: settingsB },
    ] as const
    const conditions = conditionsOf(...sides)
    const changes = changesIn(compareReports(a, b, { rejudged: a, conditions }))
    expect(changes.map((change) => [change.cause, change.members])).toEqual([[cause, members]])
  })

  test('is explained by the differences, which come first in the text', () => {
    const [a, b] = [passed, at('fail', 'http://b')]
    const conditions = conditionsOf(
      { report: a, settings: settingsOf({ otherKey: '[other key]', limits: { timeoutMs: 1 } }) },
      { report: b, settings: settingsOf({ limits: { timeoutMs: 2 } }, ['V3-*']) },
    )
    const text = textOf(a, b, { conditions })
    const [differs, changed] = text.split('\n\n').slice(1)
    expect(differs?.split('\n')).toEqual([
      'The runs had different settings',
      '  URL        http://a → http://b',
      '  selection  everything → --only V3-*',
      '  profile    limits.timeoutMs, otherKey (only in A)',
    ])
    expect(changed).toContain('passed → violated (required): different target URL')
  })
})

const answered = (answer: string) => ({
  observations: [{ id: 'OPEN-20', question: 'Which?', answer, exchanges: [] }],
})

describe('an answer to an open question', () => {
  const reportWith = (answer: string | null) =>
    reportOf([], answer === null ? { observations: [] } : answered(answer))

  test.each<[string | null, string | null, string | null, Cause]>([
    ['400', '422', '400', 'target'],
    ['400', '422', '422', 'kit'],
    ['400', '422', '500', 'both'],
    [null, '422', '422', 'kit'],
    ['400', null, '400', 'target'],
  ])('from %s to %s, with A rejudged as %s, is a drift from %s', (before, after, again, cause) => {
    expect(
      compareReports(reportWith(before), reportWith(after), { rejudged: reportWith(again) }).drift,
    ).toEqual([{ id: 'OPEN-20', question: 'Which?', before, after, cause }])
  })

  test('that stays is not listed', () => {
    expect(compareReports(reportWith('400'), reportWith('400')).drift).toEqual([])
  })
})

test('comparison text lists regressions first', () => {
  const a = reportOf(
    [
      resultOf({ id: 'OAI-CHAT-03' }),
      resultOf({ id: 'V3-IDEM-01', verdict: 'fail', message: 'two turns' }),
      resultOf({ id: 'V3-IDEM-02', verdict: 'unproven' }),
      resultOf({ id: 'V3-IDEM-03', verdict: 'unproven' }),
      resultOf({ id }),
    ],
    answered('400'),
  )
  const b = reportOf(
    [
      resultOf({ id: 'OAI-CHAT-03', verdict: 'fail', message: 'object is nothing\u001b[2J' }),
      resultOf({ id: 'V3-IDEM-01' }),
      resultOf({ id: 'V3-IDEM-02' }),
      resultOf({ id: 'V3-IDEM-03' }),
      resultOf({ id, verdict: 'inconclusive', message: 'no stream came' }),
    ],
    answered('422'),
  )
  expect(textOf(a, b, {}, ['A note.'])).toMatchInlineSnapshot(`
    "WORSE  1 newly violated, 1 no longer passing, 1 fixed, 0 requirements unchanged
    A note.
    A  violated, 1 passed, 1 violated, 2 undecided of 4 required requirements;
       http://127.0.0.1:4010, 2026-01-02T03:04:05.678Z, chatgen 0.1.0
    B  violated, 3 passed, 1 violated, 0 undecided of 4 required requirements;
       http://127.0.0.1:4010, 2026-01-02T03:04:05.678Z, chatgen 0.1.0

    Newly violated 1
      OAI-CHAT-03  passed → violated (required): the target changed
        The object member of a completion MUST be chat.completion.
        found: object is nothing\\x1b[2J

    No longer passing 1
      V3-SSE-07  passed → undecided (expected): the target changed
        sequence_number SHOULD increase strictly.
        found: no stream came

    Fixed 1
      V3-IDEM-01  violated → passed (required): the target changed
        A generation without Idempotency-Key MUST NOT succeed.

    Newly passing
      the target changed: V3-IDEM 02 03

    Changed answers to open questions, not judged
      OPEN-20  the target changed
        Which?
        before: 400
        after:  422

    WORSE  1 newly violated, 1 no longer passing, 1 fixed, 0 requirements unchanged
    "
  `)
})

test('requirements that no longer pass for one reason are grouped', () => {
  const ids = ['V3-SSE-17', 'V3-SSE-18', 'V3-ONE-02']
  const blocked = { verdict: 'inconclusive', message: 'blocked by V3-SSE-09' } as const
  const a = reportOf([...ids, id].map((one) => resultOf({ id: one })))
  const b = reportOf([
    ...ids.map((one) => resultOf({ id: one, ...blocked })),
    resultOf({ id, verdict: 'inconclusive', message: 'no stream came' }),
  ])
  const text = textOf(a, b)
  expect(text.slice(text.indexOf('No longer'), text.lastIndexOf('FEWER'))).toMatchInlineSnapshot(`
    "No longer passing 4
      V3-SSE 17 18, V3-ONE 02
        passed → undecided: the target changed
        found: blocked by V3-SSE-09
      V3-SSE-07  passed → undecided (expected): the target changed
        sequence_number SHOULD increase strictly.
        found: no stream came

    "
  `)
})

/** Changes of requirements, each with the name of its list. */
function changesIn({ unchanged: _, drift: __, conditions: ___, ...lists }: Comparison) {
  return Object.entries(lists).flatMap(([list, changes]) =>
    changes.map((change) => ({ list, ...change })),
  )
}

function textOf(
  a: ConformanceReport,
  b: ConformanceReport,
  more: Parameters<typeof compareReports>[2] = {},
  notes: readonly string[] = [],
): string {
  const comparison = compareReports(a, b, { rejudged: a, ...more })
  const document = comparisonDocument({ comparison, a, b, notes })
  return toTerminal(document, { color: false, width: 80 })
}
