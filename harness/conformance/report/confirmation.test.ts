import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RequirementId } from '../../../contract/index.ts'
import type { ScenarioFinding } from '../run-setup.ts'
import { noCost, noTraffic } from '../usage.ts'
import { combineTries, maxTries, needsRepeat } from './confirmation.ts'
import type { ScenarioResult } from './verdicts.ts'

type Kind = 'held' | 'proved' | 'doubtful' | 'open'

const requirements = ['V3-FAV-02', 'V3-CHAT-08'] as const satisfies readonly RequirementId[]

function finding(requirement: RequirementId, kind: Exclude<Kind, 'open'>): ScenarioFinding {
  const verdict = kind === 'held' ? 'held' : 'broken'
  const isDoubtful = kind === 'doubtful'
  return {
    requirement,
    verdict,
    why: `${requirement} is ${kind}`,
    exchanges: ['x1'],
    ...(isDoubtful && { isDoubtful }),
  }
}

/** A try of a scenario, with its findings for each requirement. */
function tryWith(kinds: readonly (readonly Kind[])[]): ScenarioResult {
  const found = requirements.flatMap((requirement, at) =>
    (kinds[at] ?? []).map((kind) => [requirement, kind] as const),
  )
  return {
    slug: 'a-scenario',
    title: 'a scenario',
    covers: requirements,
    findings: found.flatMap(([requirement, kind]) =>
      kind === 'open' ? [] : [finding(requirement, kind)],
    ),
    observations: [],
    inconclusive: found.flatMap(([requirement, kind]) =>
      kind === 'open' ? [{ requirements: [requirement], reason: 'no answer', exchanges: [] }] : [],
    ),
    unproven: [],
    speaks: true,
    cost: { ...noCost, requests: 3 },
    traffic: noTraffic,
    fault: null,
  }
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

const brokenIds = ({ findings }: ScenarioResult) =>
  new Set(
    findings.filter(({ verdict }) => verdict === 'broken').map(({ requirement }) => requirement),
  )
const openIds = ({ inconclusive }: ScenarioResult) =>
  inconclusive.flatMap((entry) => entry.requirements)

const kinds = fc.array(fc.constantFrom<Kind>('held', 'proved', 'doubtful', 'open'), {
  maxLength: 3,
})
const tries = fc.array(fc.array(kinds, { minLength: 2, maxLength: 2 }).map(tryWith), {
  minLength: maxTries,
  maxLength: maxTries,
})

describe('the tries of a scenario', () => {
  test('accuse of what an answer proves or each of them shows, and leave open what one shows', () => {
    fc.assert(
      fc.property(tries, (all) => {
        const { made, result } = run(all)
        expect(result.cost.requests).toBe(3 * made.length)
        for (const requirement of requirements) {
          const isProved = made.some(({ findings }) =>
            findings.some(
              (one) =>
                one.requirement === requirement && one.verdict === 'broken' && !one.isDoubtful,
            ),
          )
          const breaking = made.filter((one) => brokenIds(one).has(requirement)).length
          const isBroken = brokenIds(result).has(requirement)
          expect(isBroken).toBe(isProved || breaking === maxTries)
          if (breaking > 0) expect(isBroken || openIds(result).includes(requirement)).toBe(true)
        }
      }),
    )
  })

  test('are no more than one if nothing is in doubt', () => {
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
