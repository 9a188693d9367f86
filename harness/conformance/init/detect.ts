import type { Exchange, Surface } from '../../../contract/index.ts'
import { DiscoverySpentError } from '../errors.ts'
import { classifyAnswer, selectRouted } from '../preflight/classify-answer.ts'
import { smallestCompletion } from '../preflight/models.ts'
import { route } from '../session/requests/wire-request.ts'
import { findChat, findChatCursor } from './chat.ts'
import { createGenerations, findImages, findReasoning } from './generations.ts'
import { type Detected, type ProbeContext, type ProbeName, probes, unknown } from './probe.ts'
import { findAttachments, findKnowledge, findV2Chat } from './resources.ts'
import { assumedModels, findDeterministic, findModels, findSurfaces } from './surfaces.ts'

/** Detected properties of a target. */
export type Detection = Awaited<ReturnType<typeof detect>>

export interface DetectOptions extends Omit<ProbeContext, 'models'> {
  /** Exchange of the first request to each surface. */
  readonly answers: ReadonlyMap<Surface, Exchange>
  /** Exchange of a minimal completion, if one was requested. */
  readonly completion: Exchange | undefined
  readonly probeNames: ReadonlySet<ProbeName>
  /** Removes secrets that a target may have repeated. */
  readonly redact: (text: string) => string
  readonly onStep: (what: string) => void
}

/** Detects the features of a target: about two dozen requests, seven of which run a model. */
export async function detect(options: DetectOptions) {
  const { answers, client, probeNames, redact, onStep } = options
  const completion = await withinBudget(routedCompletion(options), () => undefined)
  const surfaces = findSurfaces(answers, completion)
  const redacted = <T>({ value, evidence }: Detected<T>) => ({
    value,
    evidence: evidence.map(redact),
  })
  const on = async <T>(
    name: ProbeName,
    probe: () => Promise<Detected<T>>,
  ): Promise<Detected<T>> => {
    const { surface, what } = probes[name]
    if (!probeNames.has(name)) return unknown('Not tested: no selected requirement needs it')
    if (!surfaces[surface].usable) return unknown(`Not tested: ${surface} is not available`)
    onStep(what)
    const isSpent = ({ message }: Error) => unknown(`Not tested: ${message}`)
    return redacted<T>(await withinBudget(probe(), isSpent))
  }

  const models = await on('models', () => findModels(answers.get('openai'), client, redact))
  const probing: ProbeContext = { ...options, models: models.value ?? assumedModels }

  /** Probes that need a chat; without one, the evidence says so. */
  async function inAChat() {
    const chat = await on('chat', () => findChat(probing))
    const { value: made } = chat
    if (made === undefined) {
      const none = unknown('Not tested: no chat could be created')
      return { chat, chatCursor: none, required: none, reasoning: none, images: none }
    }
    // JSON pointer to the cursor of a list of chats; empty if it is found by its name.
    const chatCursor = await on('chatCursor', () => findChatCursor(made, probing))
    const generations = createGenerations(probing)
    // Sequential: a chat may refuse two generations at once.
    const reasoning = await on('reasoning', () => findReasoning(made.id, probing, generations))
    const images = await on('images', () => findImages(made.id, probing, generations))
    return { chat, chatCursor, required: redacted(generations.required()), reasoning, images }
  }

  const [deterministic, inChat, attachments, knowledge, v2Chat] = await Promise.all([
    on('deterministic', () => findDeterministic(probing)),
    inAChat(),
    on('attachments', () => findAttachments(probing)),
    on('knowledge', () => findKnowledge(probing)),
    on('v2Chat', () => findV2Chat(probing)),
  ])
  return { surfaces, models, deterministic, ...inChat, attachments, knowledge, v2Chat }
}

/** Uses the fallback once the budget of requests is spent, so that earlier results count. */
async function withinBudget<T>(
  result: Promise<T>,
  fallback: (error: DiscoverySpentError) => T,
): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (error instanceof DiscoverySpentError) return fallback(error)
    throw error
  }
}

/** A target may answer completions but no list of models. */
async function routedCompletion({ answers, client, completion }: DetectOptions) {
  const list = answers.get('openai')
  const isKnown = !list || ['service', 'refused'].includes(classifyAnswer(list))
  if (completion === undefined && isKnown) return undefined
  const json = smallestCompletion(assumedModels.main)
  const answer = completion ?? (await client.send({ ...route('openai.chat'), json }))
  const [routed] = await selectRouted([answer], (spec) => client.send(spec))
  return routed
}
