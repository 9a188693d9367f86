import { test as base, inject, type RunnerTask as Task } from 'vitest'
import {
  surfaces as allSurfaces,
  type RequirementId,
  requirements,
  succeeded,
} from '../../../contract/index.ts'
import type { Writer } from '../../../fixtures/content/writer.ts'
import type { TargetProfile } from '../profile/index.ts'
import { type Prompts, plainPrompts } from '../prompts/prompts.ts'
import { mayBeStale, needsRepeat, repeatPauseMs, ScenarioRepeat } from '../report/confirmation.ts'
import { isIncognito, type RunSetup } from '../run-setup.ts'
import { createRunContext } from '../session/context.ts'
import { createRandomPicker, shuffled } from '../session/identities.ts'
import { processOf } from '../session/requests/imitation.ts'
import { surfaceCredentials } from '../session/secrets.ts'
import { Session } from '../session/session.ts'
import { assume, createClaim } from './claims.ts'
import { coverageOf, forgetRowsUnlessAlone, isPart, testsIn } from './coverage.ts'
import { type covers, toSlug } from './declaration.ts'
import { describeAnswer } from './read.ts'
import { chatRoutes } from './routes/chats.ts'
import { openaiRoutes } from './routes/openai.ts'
import { attachmentRoutes, knowledgeRoutes } from './routes/uploads.ts'
import { v2Routes } from './routes/v2.ts'
import { oneShotRoutes, v3Routes } from './routes/v3.ts'

export type { Session, TargetProfile }

declare module 'vitest' {
  interface ProvidedContext {
    setup: RunSetup
  }
}

/**
 * A scenario: `test('sentence', covers([…], cost), async ({ v3, claim }) => { … })`. It takes one of the
 * slots of `--jobs` while it runs, and is skipped if none of its requirements is judged or its condition is
 * not met.
 */
export function test(
  title: string,
  options: ReturnType<typeof covers>,
  run: (tools: Scenario & { readonly scenario: Scenario }) => Promise<void>,
): void {
  withSession(title, options, ({ session, task }) => {
    const scenario = scenarioOf(session, task)
    return run({ ...scenario, scenario })
  })
}

/** Tools of a scenario, which sends, claims and knows by them; its helpers take all of them. */
export type Scenario = Readonly<ReturnType<typeof scenarioOf>>

function scenarioOf(session: Session, task: Task) {
  const { setup } = session.context
  const { profile, depth, seed } = setup
  const { otherKey } = profile
  const claim = createClaim(session)
  return {
    session,
    profile,
    depth,
    coverage: coverageOf(task, session),
    keys: surfaceCredentials(profile),
    prompts: session.prompts,
    /** A number from 0 to below a limit, the same in all scenarios of the run. */
    habit: (name: string, below: number) => createRandomPicker(`${seed}/${name}`)(below),
    claim,
    openai: openaiRoutes(session),
    v2: v2Routes(session),
    v3: v3Routes(session),
    v3OfSecond:
      otherKey === undefined
        ? undefined
        : v3Routes(session, { authorization: `Bearer ${otherKey}` }),
    oneShot: oneShotRoutes(session),
    chats: chatRoutes(session),
    attachments: attachmentRoutes(session),
    knowledge: knowledgeRoutes(session),
  }
}

const withSession = base
  .extend('setup', { scope: 'file' }, () => inject('setup'))
  .extend('context', { scope: 'file' }, async ({ setup }, { onCleanup }) => {
    const context = createRunContext(setup)
    onCleanup(() => context.close())
    return context
  })
  .extend('session', { auto: true }, async ({ task, signal, skip, context }, { onCleanup }) => {
    // vitest passes this on when all scenarios have ended.
    task.file.meta.state = context.setup.state
    const ids = task.meta.covers ?? []
    const { again } = context.setup
    skip(!isPart(task.meta, context.setup), 'not part of this run')
    skip(again?.scenarios.includes(toSlug(task.name)) === false, 'not run again')
    const onEndpoint = again === undefined ? '' : `@${again.endpoint}`
    const before = task.meta.outcomes ?? []
    const onRepeat = before.length === 0 ? '' : `@${before.length + 1}`
    const slug = `${toSlug(task.name)}${onEndpoint}${onRepeat}`
    const prompts = await promptsFor(slug, context.setup)
    if (before.length > 0) await context.gate.sleep(repeatPauseMs, signal)
    const isLong = task.meta.isLong === true
    const slot = await context.acquireSlot({ rank: rankOf(task, context.setup), isLong })
    const about = { slug, title: task.name, covers: ids, prompts }
    const session = new Session(context, about, signal, slot)
    if (before.some((one) => mayBeStale(one) || one.isCutShort === 'early'))
      session.waitsForChanges = true
    const end = async () => {
      await session.cleanUp()
      slot.release()
      const mayPass: unknown = task.result?.errors?.at(-1)?.['mayPass']
      const isCutShort = mayPass === 'early' ? ('early' as const) : mayPass === true
      const outcomes = [...before, { ...session.outcome(), ...(isCutShort && { isCutShort }) }]
      task.meta.outcomes = outcomes
      forgetRowsUnlessAlone(task, session, outcomes)
      const mayRepeat = !signal.aborted && task.meta.confirmsItself !== true
      if (mayRepeat && needsRepeat(outcomes)) throw new ScenarioRepeat()
    }
    onCleanup(end)
    if (before.length > 0) {
      await assumeStillAccepted(session, ids).catch(async (error) => {
        // vitest does not clean up a fixture that throws.
        await end()
        throw error
      })
    }
    return session
  })

/**
 * Ends the repeat of a scenario if a request that was accepted earlier in the run is now refused. If the list
 * of its own surface is refused, that of another one is requested, as the first may never have been accepted.
 */
async function assumeStillAccepted(session: Session, ids: readonly RequirementId[]): Promise<void> {
  const isCompatible = ids.some((requirement) => requirements[requirement].surface === 'openai')
  for (const surface of isCompatible ? surfaces : surfaces.toReversed()) {
    const path = listPaths[surface]
    const answer = await session.send({ surface, method: 'GET', path, role: 'liveness' })
    const refused = `GET ${path}, which was accepted before, was answered ${describeAnswer(answer)}`
    assume(!session.context.gate.contradicts(answer), refused, answer)
    if (succeeded(answer)) return
  }
}

const surfaces = ['openai', 'v3'] as const
const listPaths = { openai: '/api/openai/models', v3: '/api/v3/chat' } as const

/** Rank of a scenario: an incognito run begins with conversations, one at a time in each customer's process. */
function rankOf(task: Task, { seed }: RunSetup): number {
  if (!task.meta.isFirst) return Infinity
  const together = [0, 0, 1, 1, 2][createRandomPicker(`${seed}/together`)(5)] ?? 0
  const order = shuffled(allSurfaces, seed)
  const placeOf = ({ meta: { covers: [id] = [] } }: Task) =>
    Math.max(0, (id ? order.indexOf(requirements[id].surface) : 0) - together)
  const inProcess = testsIn(task.file).filter(
    (one) =>
      one.meta.isFirst &&
      placeOf(one) === placeOf(task) &&
      processOf(seed, toSlug(one.name)) === processOf(seed, toSlug(task.name)),
  )
  const names = inProcess.map(({ name }) => name)
  return placeOf(task) + shuffled(names, seed).indexOf(task.name) / 100
}

/** Texts of a scenario; in an incognito run, each scenario is a different user. */
async function promptsFor(slug: string, setup: RunSetup): Promise<Prompts> {
  if (!isIncognito(setup)) return plainPrompts
  const { loadWriters } = await import('../../../fixtures/content/writer.ts')
  const { variedPrompts } = await import('../prompts/prompts.ts')
  writers ??= loadWriters()
  return variedPrompts(await writers, `${setup.seed}/${slug}`, setup.seed)
}

let writers: Promise<readonly Writer[]> | undefined
