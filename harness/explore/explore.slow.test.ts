import { describe, expect, test } from 'vitest'
import { requirementIds, requirements } from '../../contract/index.ts'
import {
  combineDialects,
  type Dialect,
  dialects,
  statefulFaults,
} from '../../reference-server/deviations/index.ts'
import { alsoDo } from '../../reference-server/deviations/patches/replies.ts'
import type { FaultyOperation } from '../../reference-server/deviations/patches/requests.ts'
import type { TargetProfile } from '../conformance/profile/index.ts'
import { buildSetup } from '../conformance/run-options.ts'
import { createRunContext } from '../conformance/session/context.ts'
import { Session } from '../conformance/session/session.ts'
import { temporaryFolder } from '../conformance/test-support/check.ts'
import { costOfExploring } from '../conformance/usage.ts'
import { startDeviant } from '../proof/runs/run-target.ts'
import { wholeProfile } from '../proof/test-support/second-server/judged.ts'
import { startSecondServer } from '../proof/test-support/second-server/server.ts'
import { type ExplorationResult, explore, exploredRequirements } from './explore.ts'

/** No waits for the model, so that a run takes a second or two. */
const pace = { ttftMs: 0, gapMs: 0, jitter: 0 }

async function explored(
  { patch, profile }: Pick<Dialect, 'patch' | 'profile'>,
  seed: string,
  operations: number,
) {
  const target = await startDeviant(patch, profile, pace)
  try {
    return await exploreAlone(target.profile, seed, operations)
  } finally {
    await target.close()
  }
}

/** Explores as the only scenario of a run, up to its first violation. */
async function exploreAlone(profile: TargetProfile, seed: string, operations: number) {
  const selection = { profile: 'full', only: [], skip: [] } as const
  const setup = buildSetup({ profile, selection, seed, outDir: temporaryFolder() }, requirementIds)
  const context = createRunContext(setup)
  const scenario = { slug: 'explore', title: 'explore', covers: exploredRequirements }
  const session = new Session(context, scenario, new AbortController().signal)
  const result = await explore(session, operations, 1)
  await session.cleanUp()
  await context.close()
  const { findings, cost } = session.outcome()
  const explored = result.violations.map(({ violation }) => violation.requirement)
  const judged = findings.filter(
    ({ requirement, verdict }) =>
      verdict === 'broken' &&
      requirements[requirement].level === 'required' &&
      !explored.includes(requirement),
  )
  const { generations } = cost
  return { ...result, judged: judged.map(({ requirement }) => requirement), generations }
}

/** Violations, and those that were seen only once. */
function complaints({ violations, unrepeated }: ExplorationResult): readonly string[] {
  return [...violations.map(({ violation }) => violation), ...unrepeated].map(
    ({ requirement, message }) => `${requirement}: ${message}`,
  )
}

/** Creates a chat as another client of the same caller, after each given number of requests on a route. */
function busyCaller(route: FaultyOperation, every: number): Dialect['patch'] {
  let requests = 0
  return alsoDo(route, async ({ store, ids }, { caller: owner }) => {
    requests += 1
    if (requests % every > 0) return
    const times = { createdAt: requests, updatedAt: requests }
    const chat = { id: ids.uuid(), owner, name: `Other ${requests}`, favorite: false, ...times }
    await store.chats.create({ ...chat, version: 'v3' })
  })
}

describe('exploration of a legal server finds no violation', () => {
  const named = (name: string) => {
    const dialect = dialects.find((one) => one.name === name)
    if (dialect === undefined) throw new Error(`there is no dialect ${name}`)
    return dialect
  }
  const servers: readonly Pick<Dialect, 'name' | 'patch' | 'profile'>[] = [
    { name: 'plain', patch: (services) => services },
    { name: 'another client of the caller creates chats', patch: busyCaller('v3.chats', 2) },
    {
      name: 'another client creates chats while requests are refused',
      patch: busyCaller('v3.generate', 3),
    },
    ...['repeat-409', 'lists-bare', 'lists-capped-at-ten', 'deletion-settles-late'].map(named),
    ...['chat-of-other-names', 'requires-assistant-id', 'lists-with-links'].map(named),
    combineDialects(58),
  ]
  test.each(servers.map((server) => [server.name, server] as const))(
    '%s',
    async (_, server) => {
      const result = await explored(server, 'fixed', 80)
      expect([...complaints(result), ...result.judged]).toEqual([])
      expect(result.operations).toBe(80)
      // Generating operations are drawn too, but no more than announced.
      expect(result.generations).toBeGreaterThan(3)
      expect(result.generations).toBeLessThanOrEqual(costOfExploring(80).generations)
    },
    60_000,
  )
})

test('exploration of the second server finds no violation', async () => {
  const server = await startSecondServer()
  try {
    const result = await exploreAlone(wholeProfile(server), 'fixed', 200)
    expect(complaints(result)).toEqual([])
    expect(result.operations).toBe(200)
    expect(result.generations).toBeGreaterThan(5)
  } finally {
    await server.close()
  }
}, 120_000)

test.each([
  ['v3.updateChat: name is ignored (occurrence: third or later)', 'V3-CHAT-10'],
  // A search may be the first to miss a chat whose name was not set, but it is not at fault.
  ['chat-of-two-runs-keeps-its-name', 'V3-CHAT-10', 's9'],
  ['chat-favorite-once-removed-stays-so', 'V3-FAV-01'],
  ['chat-once-favorite-is-excluded', 'V3-CHAT-09'],
  ['chat-pages-skip-after-a-deletion', 'V3-CHAT-08'],
  ['chat-of-two-runs-deleted-stays-listed', 'V3-CHAT-11'],
  ['v3.updateChat: name is ignored (occurrence: after a favorite)', 'V3-CHAT-10'],
  ['chat-favorite-deleted-is-readable', 'V3-CHAT-11'],
  ['chat-deleted-returns-with-a-name', 'V3-CHAT-11'],
  ['v3.generate: the Idempotency-Key is ignored (occurrence: after a favorite)', 'V3-IDEM'],
  ['v3.generate: the turn is not stored (occurrence: after a rename)', 'V3-HIST-07'],
  ['v2.message: a refused request leaves a chat (occurrence: third or later)', 'VER-09'],
])(
  'exploration finds a stateful fault and shows it with at most six requests: %s',
  async (name, row, seed = 's1') => {
    const fault = statefulFaults.find((one) => one.name === name)
    if (fault === undefined) throw new Error(`there is no fault ${name}`)
    const limits = { timeoutMs: 15_000, settleMs: 60 }
    const result = await explored({ patch: fault.patch, profile: { limits } }, seed, 300)
    const [found] = result.violations
    expect(found?.violation.requirement).toContain(row)
    expect(found?.exchanges.length).toBeGreaterThan(1)
    expect(found?.exchanges.length).toBeLessThanOrEqual(6)
  },
  60_000,
)
