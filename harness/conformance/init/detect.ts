import type { Exchange, Surface } from '../../../contract/index.ts'
import type { AuxiliaryClient } from '../cleanup/auxiliary-client.ts'
import type { WriteJournal } from '../cleanup/journal.ts'
import { classifyAnswer, selectRouted } from '../preflight/classify-answer.ts'
import { smallestCompletion } from '../preflight/models.ts'
import type { TargetProfile } from '../profile/index.ts'
import type { Members } from '../session/requests/supplements.ts'
import { type FoundChat, findChat, findImages, findReasoning } from './chat.ts'
import { findChatCursor } from './cursor.ts'
import { findDeterministic } from './deterministic.ts'
import { createGenerations } from './generations.ts'
import { assumedModels, findModels } from './models.ts'
import { type Detected, type Models, type ProbeContext, route, unknown } from './probe.ts'
import { findAttachments, findKnowledge } from './resources.ts'
import { type FoundSurfaces, findSurfaces } from './surfaces.ts'
import { type FoundV2Chat, findV2Chat } from './v2-chat.ts'

/** Detected properties of a target. */
export interface Detection {
  readonly surfaces: FoundSurfaces
  readonly models: Detected<Models>
  readonly deterministic: Detected<true>
  readonly chat: Detected<FoundChat>
  /** JSON pointer to the cursor of a list of chats; empty where it is found by its name. */
  readonly chatCursor: Detected<string>
  /** Members without which a v3 generation is refused. */
  readonly required: Detected<Members>
  readonly reasoning: Detected<true>
  readonly images: Detected<true>
  readonly attachments: Detected<true>
  readonly knowledge: Detected<true>
  readonly v2Chat: Detected<FoundV2Chat>
}

export interface DetectOptions {
  /** Exchange of the first request to each surface. */
  readonly answers: ReadonlyMap<Surface, Exchange>
  /** Exchange of a smallest completion, where one was asked for. */
  readonly completion?: Exchange | undefined
  readonly client: AuxiliaryClient
  readonly profile: TargetProfile
  readonly journal: WriteJournal
  readonly tag: string
  /** Takes secrets out of what a target may have repeated. */
  readonly redact: (text: string) => string
  readonly onStep: (what: string) => void
}

/** Asks a target what it can do: about two dozen requests, seven of which run a model. */
export async function detect(options: DetectOptions): Promise<Detection> {
  const { answers, client, journal, tag, redact, onStep, profile } = options
  const surfaces = findSurfaces(answers, await routedCompletion(options))
  const on = async <T>(surface: Surface, what: string, probe: () => Promise<Detected<T>>) => {
    if (!surfaces[surface].usable) return unknown(`Not tested: ${surface} is not available`)
    onStep(what)
    const { value, evidence } = await probe()
    return { value, evidence: evidence.map(redact) }
  }

  const models = await on('openai', 'models', () =>
    findModels(answers.get('openai'), client, redact),
  )
  const probing: ProbeContext = {
    client,
    journal,
    tag,
    profile,
    models: models.value ?? assumedModels,
  }
  const [deterministic, inChat, attachments, knowledge, v2Chat] = await Promise.all([
    on('openai', 'whether the same request gives the same text', () => findDeterministic(probing)),
    inAChat(probing, on),
    on('v3', 'attachments', () => findAttachments(probing)),
    on('v3', 'knowledge bases', () => findKnowledge(probing)),
    on('v2', 'how v2 chats are created', () => findV2Chat(probing)),
  ])
  const required = { ...inChat.required, evidence: inChat.required.evidence.map(redact) }
  return { surfaces, models, deterministic, ...inChat, required, attachments, knowledge, v2Chat }
}

/** A target may answer completions and no list of models. */
async function routedCompletion(options: DetectOptions): Promise<Exchange | undefined> {
  const { answers, client } = options
  const list = answers.get('openai')
  if (
    options.completion === undefined &&
    (!list || ['service', 'refused'].includes(classifyAnswer(list)))
  ) {
    return undefined
  }
  const json = smallestCompletion(assumedModels.main)
  const completion = options.completion ?? (await client.send({ ...route('openai.chat'), json }))
  const [routed] = await selectRouted([completion], (spec) => client.send(spec))
  return routed
}

type ProbeOn = <T>(
  surface: Surface,
  what: string,
  probe: () => Promise<Detected<T>>,
) => Promise<Detected<T>>

/** Probes that need a chat; without one, the evidence says so. */
async function inAChat(probing: ProbeContext, on: ProbeOn) {
  const chat = await on('v3', 'a chat', () => findChat(probing))
  if (chat.value === undefined) {
    const none = unknown('Not tested: no chat could be created')
    return { chat, chatCursor: none, required: none, reasoning: none, images: none }
  }
  const made = chat.value
  const { id } = made
  const chatCursor = await on('v3', 'the pages of lists', () => findChatCursor(made, probing))
  const generations = createGenerations(probing)
  // One after the other: a chat may refuse two generations at once.
  const reasoning = await on('v3', 'reasoning', () => findReasoning(id, probing, generations))
  const images = await on('v3', 'images', () => findImages(id, probing, generations))
  return { chat, chatCursor, required: generations.required(), reasoning, images }
}
