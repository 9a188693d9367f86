import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RequirementId, requirementIds } from '../../../contract/index.ts'
import type { RequirementResult } from '../../../contract/report/conformance.ts'
import { forAll, forSome } from '../../../contract/test-support/for-all.ts'
import { skipReason } from '../profile/selection.ts'
import type { ScenarioFinding } from '../run-setup.ts'
import { profileOf } from '../test-support/check.ts'
import { reportOf, resultOf } from '../test-support/reports.ts'
import { noCost, noTraffic } from '../usage.ts'
import { allowUndecided, countTotals } from './build-report.ts'
import { combineTries, maxTries, needsRepeat } from './confirmation.ts'
import { decide, interruptedReason, pendingReason, type ScenarioResult } from './verdicts.ts'

const features = ['reasoning', 'images', 'video', 'attachments', 'knowledge', 'rag']
const everything = profileOf({
  baseUrl: 'http://localhost',
  capabilities: Object.fromEntries(features.map((name) => [name, true])),
})

function result(more: Partial<ScenarioResult> = {}): ScenarioResult {
  return {
    ...{ slug: 'a-scenario', title: 'a scenario', covers: requirementIds, findings: [] },
    ...{ observations: [], inconclusive: [], unproven: [], speaks: true, fault: null },
    ...{ cost: noCost, traffic: noTraffic },
    ...more,
  }
}

const passes = { verdict: 'pass' } as const
const waits = { verdict: 'inconclusive' } as const

function finding(requirement: RequirementId, verdict: 'held' | 'broken') {
  return { requirement, verdict, why: `${requirement} ${verdict}`, exchanges: ['x1'] }
}
/** Findings of one scenario. */
const held = (...ids: RequirementId[]) => result({ findings: ids.map((id) => finding(id, 'held')) })
const broken = (...ids: RequirementId[]) =>
  result({ findings: ids.map((id) => finding(id, 'broken')) })
const open = (requirement: RequirementId) => ({
  requirements: [requirement],
  reason: 'cannot tell',
  exchanges: ['x2'],
})
const undecided = (id: RequirementId) => result({ inconclusive: [open(id)] })
const unproved = (id: RequirementId) => result({ unproven: [open(id)] })
const failed = (...covers: RequirementId[]) => result({ covers, fault: 'TypeError: oops' })

const claims = [{ slug: 'a-scenario', requirements: requirementIds }]

function verdictOf(requirement: RequirementId, ...results: readonly ScenarioResult[]) {
  return decide([requirement], results, claims, everything)[0]
}

describe('the verdict of a requirement', () => {
  const required = 'V3-IDEM-02'

  test.each([
    ['unproven', interruptedReason],
    ['pass', pendingReason],
  ])('is %s if it held in one scenario and another is missing: %s', (verdict, untestedReason) => {
    const two = [...claims, { slug: 'another', requirements: requirementIds }]
    const [row] = decide([required], [held(required)], two, everything, { untestedReason })
    expect(row?.verdict).toBe(verdict)
  })

  /** Results in order of precedence. */
  const precedence = [
    [broken(required), 'fail'],
    [failed(required), 'error'],
    [undecided(required), 'inconclusive'],
    [held(required), 'pass'],
    [unproved(required), 'unproven'],
    [result(), 'unproven'],
  ] as const

  test('follows the precedence of results', () => {
    forAll(fc.array(fc.constantFrom(...precedence), { maxLength: 6 }), (some) => {
      const first = precedence.find((one) => some.includes(one))
      const results = some.map(([of]) => of)
      expect(verdictOf(required, ...results)?.verdict).toBe(first?.[1] ?? 'unproven')
    })
  })

  const [plain, option] = ['OAI-CHAT-01', 'OAI-N-01'] as const
  test.each<[string, RequirementId, readonly ScenarioResult[], Partial<RequirementResult>]>([
    [
      'is warn if a broken requirement is only expected',
      ...(['V3-GEN-14', [broken('V3-GEN-14')]] as const),
      { verdict: 'warn', message: 'V3-GEN-14 broken', exchanges: ['x1'] },
    ],
    [
      'ignores a failed scenario of another requirement',
      required,
      [held(required), failed(plain)],
      passes,
    ],
    [
      'is inconclusive if a needed requirement broke, and names it',
      ...(['V3-HIST-10', [held('V3-HIST-10'), broken('V3-HIST-12')]] as const),
      { ...waits, blockedBy: 'V3-HIST-12', message: 'blocked by V3-HIST-12' },
    ],
    [
      'keeps its own evidence if it is blocked',
      ...(['V3-HIST-10', [broken('V3-HIST-10', 'V3-HIST-12')]] as const),
      { ...waits, exchanges: ['x1'] },
    ],
    [
      'is inconclusive if an indirectly needed requirement broke',
      ...(['V3-HIST-10', [broken('V3-AUTH-05')]] as const),
      { ...waits, blockedBy: 'V3-AUTH-05' },
    ],
    [
      'of an option is inconclusive if the plain request is, and names it',
      ...([option, [held(option), undecided(plain)]] as const),
      {
        ...{ ...waits, blockedBy: null, exchanges: ['x1'] },
        message: 'depends on OAI-CHAT-01, which is undecided',
      },
    ],
    [
      'of an option is inconclusive if the plain request failed',
      option,
      [held(option), failed(plain)],
      waits,
    ],
    [
      'of an option is pass if the plain request is accepted',
      option,
      [held(option, plain), undecided(plain)],
      passes,
    ],
    [
      'of an option is pass if the plain request was not tried',
      option,
      [held(option), unproved(plain)],
      passes,
    ],
    // The choices of the responses do not matter here.
    [
      'of an option ignores other requirements of the plain request',
      option,
      [held(option), undecided('OAI-CHAT-06')],
      passes,
    ],
    [
      'of an option is warn if it broke and the plain request is undecided',
      option,
      [broken(option), undecided(plain)],
      { verdict: 'warn' },
    ],
  ])('%s', (_, id, results, expected) => {
    expect(verdictOf(id, ...results)).toMatchObject(expected)
  })

  test('is unclaimed if no scenario covers it', () => {
    const others = [{ slug: 'other', requirements: ['OAI-CHAT-01'] as const }]
    const [requirement] = decide([required], [], others, everything)
    expect(requirement).toMatchObject({ verdict: 'unclaimed', scenarios: [] })
  })

  test('names the scenarios that cover it and those that broke it', () => {
    const results = [{ ...broken(required), slug: 'one' }, result({ slug: 'two' })]
    const scenarios = ['one', 'two'].map((slug) => ({ slug, requirements: [required] as const }))
    const [requirement] = decide([required], results, scenarios, everything)
    expect(requirement).toMatchObject({ scenarios: ['one', 'two'], brokenBy: ['one'] })
  })
})

const nothing = profileOf({ baseUrl: 'http://localhost', capabilities: { images: false } })
test.each([
  ['V3-GEN-07', 'not-applicable', 'the target profile has capabilities.images: false'],
  ['V3-THINK-01', 'unproven', 'set capabilities.reasoning in the target profile to test this'],
  ['V3-TOOLS-02', 'unproven', 'set tools in the target profile to test this'],
  ['OAI-STREAM-10', 'not-applicable', 'the profile lacks deterministic: true'],
] as const)('a capability of the profile makes %s %s', (id, verdict, message) => {
  const results = [held(id), broken(id)]
  expect(decide([id], results, claims, nothing)[0]).toMatchObject({ verdict, message })
})

describe('verdicts of any results', () => {
  const judged = requirementIds.filter((id) => !skipReason(id, everything))
  const anyRow = fc.constantFrom(...judged)
  const anyFinding = fc
    .tuple(anyRow, fc.constantFrom('held', 'broken'))
    .map(([requirement, verdict]) => finding(requirement, verdict))
  const anyResult = fc
    .record({
      findings: fc.array(anyFinding, { maxLength: 12 }),
      inconclusive: fc.array(anyRow.map(open), { maxLength: 2 }),
      unproven: fc.array(anyRow.map(open), { maxLength: 2 }),
      covers: fc.uniqueArray(anyRow, { maxLength: 10 }),
      fault: fc.option(fc.constant('TypeError: oops'), { freq: 5 }),
    })
    .map((some) => result(some))
  const anyResults = fc.array(anyResult, { maxLength: 4 })

  const about = (results: readonly ScenarioResult[], id: string, verdict: string) =>
    results.some(({ findings }) =>
      findings.some((found) => found.requirement === id && found.verdict === verdict),
    )

  test('pass only if held, and accuse only if broken, in any order', () => {
    forSome(200, anyResults, (results) => {
      const verdicts = decide(judged, results, claims, everything)
      for (const { id, verdict, level } of verdicts) {
        const isBroken = about(results, id, 'broken')
        if (verdict === 'pass')
          expect([about(results, id, 'held'), isBroken]).toEqual([true, false])
        if (verdict !== 'fail' && verdict !== 'warn') continue
        expect(isBroken, id).toBe(true)
        expect(verdict).toBe(level === 'required' ? 'fail' : 'warn')
      }
      const accused = verdicts.some(({ verdict }) => ['fail', 'warn'].includes(verdict))
      expect(accused).toBe(judged.some((id) => about(results, id, 'broken')))
      const reversed = decide(judged, results.toReversed(), claims, everything)
      expect(reversed.map(({ verdict }) => verdict)).toEqual(verdicts.map(({ verdict }) => verdict))
    })
  })
})

const withVerdict = (verdict: RequirementResult['verdict']) => resultOf('V3-GEN-01', { verdict })
const expected = (verdict: RequirementResult['verdict'], known = false) =>
  resultOf('V3-GEN-01', { verdict, level: 'expected', known })
const excused = resultOf('V3-GEN-01', { known: true })

describe('the outcome', () => {
  const pass = withVerdict('pass')
  const fail = withVerdict('fail')
  const irrelevant = (['not-applicable', 'observed'] as const).map(withVerdict)

  test.each([
    ['conforms', [pass, ...irrelevant]],
    ['conforms', [pass, expected('warn')]],
    ['conforms', [pass, expected('unproven'), expected('inconclusive')]],
    ['conforms', [expected('pass'), expected('inconclusive')]],
    ['conforms', irrelevant],
    ['incomplete', [expected('inconclusive'), ...irrelevant]],
    ['conforms', [excused]],
    ['violated', [pass, fail]],
    ['violated', [fail, withVerdict('inconclusive'), withVerdict('error')]],
    ['violated', [excused, fail]],
    ['incomplete', [pass, withVerdict('unproven')]],
    ['incomplete', [pass, withVerdict('inconclusive')]],
    ['incomplete', [pass, withVerdict('error')]],
    ['incomplete', [pass, withVerdict('unclaimed')]],
    ['incomplete', [excused, withVerdict('unproven')]],
  ])('is %s', (outcome, requirements) => {
    expect(reportOf(requirements).outcome).toBe(outcome)
  })

  test('is incomplete after an internal error, even with a baseline or --allow-undecided', () => {
    const faults = [{ scenario: 'leftover check', message: 'TypeError' }]
    for (const requirements of [[pass], [excused], []]) {
      const report = reportOf(requirements, { faults })
      expect(report.outcome).toBe('incomplete')
      expect(allowUndecided(report, ['*']).outcome).toBe('incomplete')
    }
  })

  test('counts warnings only if strict', () => {
    expect(reportOf([pass, expected('warn')], { strict: true }).outcome).toBe('violated')
    expect(reportOf([expected('warn', true)], { strict: true }).outcome).toBe('conforms')
  })
})

test('totals count each verdict except unclaimed', () => {
  const results = [...(['pass', 'pass', 'fail', 'unclaimed'] as const).map(withVerdict), excused]
  expect(countTotals(results, 7)).toEqual({
    ...{ pass: 2, fail: 2, warn: 0, observed: 7, known: 1 },
    ...{ 'not-applicable': 0, inconclusive: 0, error: 0, unproven: 0 },
  })
})

const passed = resultOf('OAI-CHAT-01', { verdict: 'pass' })
const unproven = resultOf('KB-01', { verdict: 'unproven' })
const inconclusive = resultOf('KB-02', { verdict: 'inconclusive' })
const elsewhere = resultOf('RAG-01', { verdict: 'unproven' })

test.each([
  ['an unproven requirement', [passed, unproven], 'conforms'],
  ['an inconclusive requirement', [passed, inconclusive], 'conforms'],
  ['no violation', [passed, unproven, resultOf('KB-02')], 'violated'],
  ['no internal error', [passed, resultOf('KB-02', { verdict: 'error' })], 'incomplete'],
  ['nothing outside the glob', [passed, unproven, elsewhere], 'incomplete'],
  ['nothing if nothing passed', [unproven], 'incomplete'],
] as const)('allowUndecided allows %s', (_, ids, outcome) => {
  expect(allowUndecided(reportOf(ids), ['KB-*']).outcome).toBe(outcome)
})

test.each([{ stopped: 'the budget is spent' }, { interrupted: true }])(
  'allowUndecided allows nothing in a run that ended early (%j) or without a glob',
  (end) => {
    const ended = reportOf([passed, unproven], end)
    expect(allowUndecided(ended, ['*'])).toMatchObject({
      outcome: 'incomplete',
      allowedUndecided: { ids: [] },
    })
    expect(allowUndecided(ended, [])).toBe(ended)
  },
)

type Kind = 'held' | 'proved' | 'doubtful' | 'open'

const requirements = ['V3-FAV-02', 'V3-CHAT-08'] as const satisfies readonly RequirementId[]

function findingOf(requirement: RequirementId, kind: Exclude<Kind, 'open'>): ScenarioFinding {
  const why = `${requirement} is ${kind}`
  const isDoubtful = kind === 'doubtful'
  const made = finding(requirement, kind === 'held' ? 'held' : 'broken')
  return { ...made, why, ...(isDoubtful && { isDoubtful }) }
}

/** A try of a scenario, with its findings for each requirement. */
function tryWith(kinds: readonly (readonly Kind[])[]): ScenarioResult {
  const found = requirements.flatMap((requirement, at) =>
    (kinds[at] ?? []).map((kind) => [requirement, kind] as const),
  )
  return result({
    covers: requirements,
    findings: found.flatMap(([requirement, kind]) =>
      kind === 'open' ? [] : [findingOf(requirement, kind)],
    ),
    inconclusive: found.flatMap(([requirement, kind]) =>
      kind === 'open' ? [{ requirements: [requirement], reason: 'no answer', exchanges: [] }] : [],
    ),
    cost: { ...noCost, requests: 3 },
  })
}

/** Tries as in a run: as long as another one is needed. */
function run(tries: readonly ScenarioResult[]) {
  const made: ScenarioResult[] = []
  for (const one of tries) {
    made.push(one)
    if (!needsRepeat(made)) break
  }
  const [first, ...again] = made
  if (first === undefined) throw new Error('no try')
  return { made, result: combineTries([first, ...again]) }
}

const isBroken = (id: RequirementId) => (one: ScenarioResult) => brokenIds(one).has(id)
const brokenIds = ({ findings }: ScenarioResult) =>
  new Set(findings.flatMap((one) => (one.verdict === 'broken' ? [one.requirement] : [])))
const openIds = ({ inconclusive }: ScenarioResult) =>
  inconclusive.flatMap((entry) => entry.requirements)

const kinds = fc.array(fc.constantFrom<Kind>('held', 'proved', 'doubtful', 'open'), {
  maxLength: 3,
})
const pairOfKinds = fc.array(kinds, { minLength: 2, maxLength: 2 })
const tries = fc.array(pairOfKinds.map(tryWith), { minLength: maxTries, maxLength: maxTries })
const isProof = ({ verdict, isDoubtful }: ScenarioFinding) => verdict === 'broken' && !isDoubtful

describe('the tries of a scenario', () => {
  test('accuse if one proves a violation or all show it, otherwise leave it open', () => {
    forAll(tries, (all) => {
      const { made, result } = run(all)
      expect(result.cost.requests).toBe(3 * made.length)
      for (const requirement of requirements) {
        const isProved = made.some(({ findings }) =>
          findings.some((one) => one.requirement === requirement && isProof(one)),
        )
        const breaking = made.filter(isBroken(requirement)).length
        const accused = brokenIds(result).has(requirement)
        expect(accused).toBe(isProved || breaking === maxTries)
        if (breaking > 0) expect(accused || openIds(result).includes(requirement)).toBe(true)
      }
    })
  })

  test('that were cut short never hide a violation', () => {
    const withEnd = pairOfKinds.map((found) => ({ ...tryWith(found), isCutShort: true }))
    forAll(withEnd, tries, (first, others) => {
      const { made, result } = run([first, ...others])
      expect(made.length).toBeGreaterThan(1)
      for (const requirement of requirements) {
        const accused = brokenIds(result).has(requirement)
        if (!made.some(isBroken(requirement))) expect(accused).toBe(false)
        else expect(accused || openIds(result).includes(requirement)).toBe(true)
      }
    })
    const cut = { ...tryWith([['open'], ['open']]), isCutShort: true }
    expect(openIds(run([cut, tryWith([['held'], ['held']])]).result)).toEqual([])
    const again = run([cut, cut])
    expect(again.made).toHaveLength(2)
    expect(openIds(again.result)).toEqual(requirements)
  })

  test('that may be stale are replaced by the repeat', () => {
    const stale = (): ScenarioResult => {
      const made = tryWith([['doubtful'], ['proved']])
      const findings = made.findings.map((one) =>
        one.isDoubtful ? { ...one, mayBeStale: true } : one,
      )
      return { ...made, findings }
    }
    const [about, proved] = requirements
    const ended = (...seconds: ScenarioResult[]) => run([stale(), ...seconds]).result
    const passed = ended(tryWith([['held'], ['held']]))
    expect([...brokenIds(passed)]).toEqual([proved])
    expect(openIds(passed)).toEqual([])
    expect([...brokenIds(ended(tryWith([['proved'], ['held']])))].toSorted()).toEqual(
      [about, proved].toSorted(),
    )
    expect(openIds(ended(tryWith([['open'], ['held']])))).toEqual([about])
    const alone = ended()
    expect([...brokenIds(alone)]).toEqual([proved])
    expect(openIds(alone)).toEqual([about])
  })

  test('are repeated only for doubtful findings', () => {
    expect(needsRepeat([tryWith([['held'], ['proved', 'doubtful']])])).toBe(false)
    expect(needsRepeat([tryWith([['doubtful'], []])])).toBe(true)
  })

  test.each<[string, readonly Kind[], string]>([
    ['held', ['held'], '1 of 2 runs of the scenario show it: V3-FAV-02 is doubtful'],
    [
      'was not reached',
      ['open'],
      'the scenario could not run again (no answer): V3-FAV-02 is doubtful',
    ],
  ])('say why a violation is not confirmed that %s the second time', (_, second, reason) => {
    const { result } = run([tryWith([['doubtful']]), tryWith([second])])
    expect(result.inconclusive[0]?.reason).toBe(`not confirmed, ${reason}`)
  })
})
