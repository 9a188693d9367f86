import { test as base, inject, type TestAPI } from 'vitest'
import type { Writer } from '../../../fixtures/content/writer.ts'
import { isPlanned } from '../profile/applicability.ts'
import type { TargetProfile } from '../profile/index.ts'
import { isIncognito, type RunSetup } from '../run-setup.ts'
import { createRunContext, type RunContext } from '../session/context.ts'
import { surfaceCredentials } from '../session/credentials.ts'
import { contentSeed } from '../session/former-slugs.ts'
import { type Prompts, plainPrompts } from '../session/prompts.ts'
import { Session } from '../session/session.ts'
import { createClaim } from './claims.ts'
import { toSlug } from './declaration.ts'
import { expectRejected, type RejectedRequest } from './expect-rejected.ts'
import { attachmentRoutes } from './routes/attachments.ts'
import { chatRoutes } from './routes/chats.ts'
import { knowledgeRoutes } from './routes/knowledge.ts'
import { oneShotRoutes } from './routes/one-shot.ts'
import { openaiRoutes } from './routes/openai.ts'
import { v2Routes } from './routes/v2.ts'
import { v3Routes } from './routes/v3.ts'

export type { Session, TargetProfile }
export type OpenaiApi = ReturnType<typeof openaiRoutes>
export type V2Api = ReturnType<typeof v2Routes>
export type V3Api = ReturnType<typeof v3Routes>
export type OneShotApi = ReturnType<typeof oneShotRoutes>
export type ChatsApi = ReturnType<typeof chatRoutes>
export type AttachmentsApi = ReturnType<typeof attachmentRoutes>
export type KnowledgeApi = ReturnType<typeof knowledgeRoutes>

declare module 'vitest' {
  interface ProvidedContext {
    setup: RunSetup
  }
}

/**
 * A scenario: `test('sentence', covers([…], cost), async ({ v3, claim }) => { … })`. It takes one
 * of the slots of `--jobs` while it runs, and is skipped where none of its rows is judged or what it
 * needs is not there.
 */
export const test = base
  .extend('session', { auto: true }, async ({ task, signal, skip }, { onCleanup }) => {
    const context = contextOf(inject('setup'))
    const rows = task.meta.covers ?? []
    const { isNegotiated = false, isAcrossEndpoints = false, isOrdinary = false } = task.meta
    const { rows: judged, profile, again } = context.setup
    // On one endpoint alone, a scenario of several shows if they are the reason.
    const condition = {
      rows,
      isNegotiated,
      isAcrossEndpoints: isAcrossEndpoints && !again,
      isOrdinary,
    }
    const isPart = isPlanned(condition, judged, profile, isIncognito(context.setup))
    skip(!isPart, 'not part of this run')
    skip(again?.scenarios.includes(toSlug(task.name)) === false, 'not run again')
    const onEndpoint = again === undefined ? '' : `@${again.endpoint}`
    const slug = `${toSlug(task.name)}${onEndpoint}`
    const prompts = await promptsFor(contentSeed(slug), context.setup)
    const slot = await context.acquireSlot({ isFirst: task.meta.isFirst ?? false })
    const session = new Session(
      context,
      { slug, title: task.name, covers: rows, prompts },
      signal,
      slot,
    )
    onCleanup(async () => {
      await session.cleanUp()
      slot.release()
      task.meta.outcome = session.outcome()
    })
    return session
  })
  .extend('profile', ({ session }) => session.context.setup.profile)
  .extend('keys', ({ session }) => surfaceCredentials(session.context.setup.profile))
  .extend('prompts', ({ session }) => session.prompts)
  .extend('claim', ({ session }) => createClaim(session))
  .extend(
    'expectRejected',
    ({ claim }) =>
      (negative: RejectedRequest) =>
        expectRejected(claim, negative),
  )
  .extend('openai', ({ session }) => openaiRoutes(session))
  .extend('v2', ({ session }) => v2Routes(session))
  .extend('v3', ({ session }) => v3Routes(session))
  .extend('oneShot', ({ session }) => oneShotRoutes(session))
  .extend('chats', ({ session }) => chatRoutes(session))
  .extend('attachments', ({ session }) => attachmentRoutes(session))
  .extend('knowledge', ({ session }) => knowledgeRoutes(session))

/** Everything that a scenario is given: a helper of scenarios takes the part that it uses. */
export type ScenarioContext = typeof test extends TestAPI<infer Context> ? Context : never

/** Texts of a scenario: of an incognito run, those of a user of its own. */
async function promptsFor(slug: string, setup: RunSetup): Promise<Prompts> {
  if (!isIncognito(setup)) return plainPrompts
  const { loadWriters } = await import('../../../fixtures/content/writer.ts')
  const { variedPrompts } = await import('../session/varied-prompts.ts')
  writers ??= loadWriters()
  return variedPrompts(await writers, `${setup.seed}/${slug}`)
}

let writers: Promise<readonly Writer[]> | undefined

let current: RunContext | undefined

/** All scenarios of a run share one context; the worker may stay for the next run. */
function contextOf(setup: RunSetup): RunContext {
  const isSame =
    current?.setup.exchangesFile === setup.exchangesFile &&
    current.setup.again?.endpoint === setup.again?.endpoint
  if (current === undefined || !isSame) current = createRunContext(setup)
  return current
}
