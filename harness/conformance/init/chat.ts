import {
  answerJson,
  asString,
  chatIdNames,
  type Exchange,
  findId,
  isUuid,
  type JsonLeaf,
  leavesOf,
  succeeded,
  valueAt,
} from '../../../contract/index.ts'
import { sampleImage } from '../../../fixtures/content/image.ts'
import type { AuxiliaryClient } from '../cleanup/auxiliary-client.ts'
import { withJournal } from '../cleanup/journal.ts'
import { isDeclined, isResponse } from '../scenario/read.ts'
import { cursorIn } from '../scenario/routes/paging.ts'
import { route } from '../session/requests/wire-request.ts'
import {
  brief,
  type Detected,
  describeProbe,
  type Generations,
  nameFor,
  type ProbeContext,
  unknown,
} from './probe.ts'

export interface FoundChat {
  readonly id: string
  /** Null if the id is found by value. */
  readonly pointer: string | null
}

/** Creates a chat and finds its id in the response, by value or, if that fails, by trying candidates. */
export async function findChat(probing: ProbeContext): Promise<Detected<FoundChat>> {
  const { client, journal } = probing
  const { created, about } = await createChat('chat', probing)
  const found = isDeclined(created) ? undefined : await idThatLeads(answerJson(created), client)
  const evidence = [describeProbe(created, 'with a name')]
  if (!found) {
    if (succeeded(created)) evidence.push('No UUID in the answer is the id of the chat')
    return unknown(...evidence)
  }
  journal({ event: 'created', ...about, id: found.id })
  if (found.pointer !== null) evidence.push(`Only the UUID at ${found.pointer} reads as a chat`)
  return { value: found, evidence }
}

async function createChat(
  what: string,
  { client, journal, tag }: ProbeContext,
  idIn: (answer: Exchange) => string | undefined = () => undefined,
) {
  const about = { kind: 'chat', name: nameFor(what, tag), scenario: 'init' } as const
  const send = () => client.send({ ...route('v3.createChat'), json: { name: about.name } })
  return { about, created: await withJournal(journal, about, send, idIn) }
}

/** Detects if reasoning is separate from the answer. */
export async function findReasoning(
  chat: string,
  { models }: ProbeContext,
  generations: Generations,
): Promise<Detected<true>> {
  const input = 'How many days are there in four weeks? Think it through.'
  const reply = await generations.send({
    chat_id: chat,
    model_id: models.main,
    input,
    stream: true,
    think: true,
  })
  const deltas = reply.events.filter(({ name }) => name === 'response.reasoning_text.delta').length
  const observation = `${brief(reply, 'as a stream with think')}, ${deltas} response.reasoning_text.delta`
  return deltas > 0 ? { value: true, evidence: [observation] } : unknown(observation)
}

/** Detects if the vision model accepts an image of one pixel. */
export async function findImages(
  chat: string,
  { models }: ProbeContext,
  generations: Generations,
): Promise<Detected<true>> {
  if (models.vision === undefined) return unknown('Not tested: no vision model is known')
  const content = [
    { type: 'input_text', text: 'What do you see?' },
    { type: 'input_image', image_url: sampleImage, detail: 'auto' },
  ]
  const reply = await generations.send({
    chat_id: chat,
    model_id: models.vision,
    input: [{ type: 'message', role: 'user', content }],
    stream: false,
  })
  const observation = brief(reply, `with a data URL in input_image, model ${models.vision}`)
  return succeeded(reply) && isResponse(reply)
    ? { value: true, evidence: [observation] }
    : unknown(observation)
}

async function idThatLeads(body: unknown, client: AuxiliaryClient): Promise<FoundChat | undefined> {
  const byValue = findId(body, chatIdNames)
  const others = leavesOf(body).filter(
    ({ path, value }) => isUuid(value) && value !== byValue && !path.join('').includes('$'),
  )
  const candidates = [
    ...(byValue === undefined ? [] : [{ id: byValue, pointer: null }]),
    ...others.map(({ path, value }) => ({ id: String(value), pointer: pointerTo(path) })),
  ]
  for (const candidate of candidates.slice(0, maxCandidates)) {
    const read = await client.send(route('v3.chat', candidate.id))
    if (!isDeclined(read)) return candidate
  }
  return undefined
}

const maxCandidates = 6

/** JSON pointer (RFC 6901); without a dollar sign, which marks variables in a profile. */
function pointerTo(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/**
 * Detects the field of the list of chats that leads to its next page, if its name is not a known one: creates
 * a second chat, requests a page of one chat, and tries the values next to its elements. The value is a JSON
 * pointer, empty if none is needed.
 */
export async function findChatCursor(
  first: FoundChat,
  probing: ProbeContext,
): Promise<Detected<string>> {
  await createChat('second chat', probing, (answer) => chatIdIn(answer, first))
  const page = await list(probing)
  if (isDeclined(page)) return unknown(describeProbe(page, 'with limit 1'))
  if (typeof cursorIn(page, undefined) === 'string') return { value: '', evidence: [] }
  const firstIds = elementIds(page)
  for (const { path, value } of candidates(page)) {
    const next = await list(probing, String(value))
    const ids = elementIds(next)
    if (!succeeded(next) || ids.length === 0 || ids.some((id) => firstIds.includes(id))) continue
    const pointer = path.map((part) => `/${part}`).join('')
    const evidence = `${brief(page, 'with limit 1')}; the value at ${pointer} leads to the next page`
    return { value: pointer, evidence: [evidence] }
  }
  return unknown(
    `${describeProbe(page, 'with limit 1')}: no cursor was found; shapes.chatCursor may say where it is`,
  )
}

function chatIdIn(answer: Exchange, { pointer }: FoundChat): string | undefined {
  const body = answerJson(answer)
  return pointer === null ? findId(body, chatIdNames) : asString(valueAt(body, pointer))
}

function list({ client }: ProbeContext, cursor?: string): Promise<Exchange> {
  const query = { limit: '1', ...(cursor === undefined ? {} : { cursor }) }
  return client.send({ ...route('v3.chats'), query })
}

const maxCursors = 4

/** Values outside arrays, under names that need no escaping in a pointer. */
function candidates(page: Exchange): JsonLeaf[] {
  const isCursor = (value: unknown) =>
    (typeof value === 'string' && value !== '') || typeof value === 'number'
  return leavesOf(answerJson(page))
    .filter(({ path, value }) => isCursor(value) && path.every((part) => /^[a-z_]\w*$/i.test(part)))
    .slice(0, maxCursors)
}

function elementIds(page: Exchange): string[] {
  return leavesOf(answerJson(page))
    .filter(({ path, value }) => isUuid(value) && path.some((part) => /^\d+$/.test(part)))
    .map(({ value }) => String(value))
}
