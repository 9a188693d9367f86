import { answerJson, type Exchange, type Surface, succeeded } from '../../../contract/index.ts'
import type { AuxiliaryClient } from '../cleanup/auxiliary-client.ts'
import { DiscoverySpentError } from '../errors.ts'
import {
  type AnswerKind,
  classifyAnswer,
  isPage,
  selectRouted,
} from '../preflight/classify-answer.ts'
import { mainIds, modelIdsIn, refusals, smallestCompletion, visionId } from '../preflight/models.ts'
import { isCompletion, statusText } from '../scenario/read.ts'
import { route } from '../session/requests/wire-request.ts'
import { createGenerations, findImages, findReasoning } from './generations.ts'
import {
  brief,
  type Detected,
  type Models,
  type ProbeContext,
  type ProbeName,
  probes,
  unknown,
} from './probe.ts'
import {
  findAttachments,
  findChat,
  findChatCursor,
  findKnowledge,
  findV2Chat,
} from './resources.ts'

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

/** Detects the features of a target: about two dozen requests, three of which run a model. */
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

  const [inChat, attachments, knowledge, v2Chat] = await Promise.all([
    inAChat(),
    on('attachments', () => findAttachments(probing)),
    on('knowledge', () => findKnowledge(probing)),
    on('v2Chat', () => findV2Chat(probing)),
  ])
  return { surfaces, models, ...inChat, attachments, knowledge, v2Chat }
}

/** Uses the fallback once the budget of requests is spent, so that earlier results count. */
export async function withinBudget<T>(
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

/** Detects each surface by its first request; `completion` counts if the list of models shows nothing. */
export function findSurfaces(answers: ReadonlyMap<Surface, Exchange>, completion?: Exchange) {
  const openai = judged(answers.get('openai'))
  return {
    openai:
      openai.usable || openai.refusesKey || completion === undefined
        ? openai
        : { ...openai, usable: true, evidence: `${openai.evidence}; ${brief(completion)}` },
    v2: judged(answers.get('v2'), 'with an empty body'),
    v3: judged(answers.get('v3')),
  }
}

/** `usable`: further probes make sense. */
function judged(answer: Exchange | undefined, more = '') {
  const status = answer?.response?.status
  if (!answer || status === undefined) {
    return { usable: false, refusesKey: false, evidence: 'no answer' }
  }
  const observation = brief(answer, more)
  const sign = classifyAnswer(answer)
  const isPost = answer.request.method === 'POST' && !isPage(answer)
  // A refusal may have any media type; only a service reports that a body is incomplete.
  const isOfBody = sign === 'other' && isPost && [400, 422].includes(status)
  if (sign === 'service' || isOfBody) {
    const sound = status < 300 ? '' : `, so ${statusText(answer)} refuses the request, not the key`
    return { usable: true, refusesKey: false, evidence: `${observation}${sound}` }
  }
  const refusesKey = sign === 'refused'
  return { usable: false, refusesKey, evidence: `${observation}, ${meanings[sign]}` }
}

const meanings: Readonly<Record<AnswerKind, string>> = {
  service: 'so it is there',
  refused: 'so the key is refused',
  busy: 'which is inconclusive for now',
  absent: 'so it is not there',
  failing: 'which is inconclusive',
  other: 'which is not an answer of the service',
  silence: 'so nothing is known',
}

/** Names of section 2.1, for a target that lists no models. */
export const assumedModels: Models = { main: 'svc-main-model', aliases: [], vision: visionId }

/** The models of section 2.1 if they are listed, else the first; the other id of the main model is tried. */
export async function findModels(
  list: Exchange | undefined,
  client: AuxiliaryClient,
  redact: (text: string) => string,
): Promise<Detected<Models>> {
  if (!list) return unknown('GET /api/openai/models was not requested')
  const ids = succeeded(list) ? modelIdsIn(answerJson(list)) : []
  const listed = ids.filter((id) => redact(id) === id)
  const [first] = listed
  if (first === undefined) return unknown(`${brief(list)}, without the id of any model`)

  const names = listed.slice(0, 12).join(', ')
  const evidence = [`${brief(list)}, which lists ${names}${listed.length > 12 ? ', …' : ''}`]
  const vision = listed.includes(visionId) ? visionId : undefined
  const main = mainIds.find((id) => listed.includes(id))
  if (main === undefined) {
    const chosen = await firstAccepted(listed, client, evidence)
    evidence.push(`${chosen ?? first} is used: none is a main model of section 2.1`)
    return { value: { main: chosen ?? first, aliases: [], vision }, evidence }
  }
  const other = mainIds.find((id) => id !== main) ?? main
  const completion = await client.send({ ...route('openai.chat'), json: smallestCompletion(other) })
  const accepted = succeeded(completion) && isCompletion(completion)
  evidence.push(brief(completion, `with model ${other}`))
  if (!accepted) {
    evidence.push(`Section 2.1 accepts ${other} as well: check judges that (OAI-MODELS-02)`)
  }
  return { value: { main, aliases: [other], vision }, evidence }
}

/** Maximum number of listed models that are tried. */
const maxTried = 5

/** The first model that answers a completion: a list may begin with models for other purposes, such as embeddings. */
async function firstAccepted(
  listed: readonly string[],
  client: AuxiliaryClient,
  evidence: string[],
): Promise<string | undefined> {
  for (const model of listed.slice(0, maxTried)) {
    const completion = await client.send({
      ...route('openai.chat'),
      json: smallestCompletion(model),
    })
    evidence.push(brief(completion, `with model ${model}`))
    if (succeeded(completion) && isCompletion(completion)) return model
    if (!refusals.includes(completion.response?.status ?? 0)) return undefined
  }
  return undefined
}
