import { randomUUID } from 'node:crypto'
import {
  answerJson,
  asObject,
  asString,
  bodyJson,
  chatIdNames,
  type Exchange,
  findId,
  isObject,
  isUuid,
  leavesOf,
  succeeded,
  valueAt,
} from '../../../contract/index.ts'
import { withJournal } from '../cleanup/journal.ts'
import { isDeclined } from '../scenario/read.ts'
import { cursorIn } from '../scenario/routes/paging.ts'
import { attachmentIn, knowledgePrefixes, multipart } from '../scenario/routes/uploads.ts'
import { route } from '../session/requests/wire-request.ts'
import {
  brief,
  type Detected,
  describeProbe,
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
  const evidence = [describeProbe(created, 'with a name')]
  for (const found of isDeclined(created) ? [] : candidateIds(answerJson(created))) {
    if (isDeclined(await client.send(route('v3.chat', found.id)))) continue
    journal({ event: 'created', ...about, id: found.id })
    if (found.pointer !== null)
      evidence.push(`Only the UUID at ${found.pointer} can be read as a chat`)
    return { value: found, evidence }
  }
  if (succeeded(created)) evidence.push('No UUID in the answer is the id of the chat')
  return unknown(...evidence)
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

const maxCandidates = 6

function candidateIds(body: unknown): FoundChat[] {
  const byValue = findId(body, chatIdNames)
  // A dollar sign marks variables in a profile.
  const others = leavesOf(body).filter(
    ({ path, value }) => isUuid(value) && value !== byValue && !path.join('').includes('$'),
  )
  return [
    ...(byValue === undefined ? [] : [{ id: byValue, pointer: null }]),
    ...others.map(({ path, value }) => ({ id: String(value), pointer: pointerTo(path) })),
  ].slice(0, maxCandidates)
}

/** JSON pointer (RFC 6901). */
function pointerTo(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

const maxCursors = 4

/**
 * Detects the field of the list of chats that leads to its next page, if its name is not a known one: creates
 * a second chat, requests a page of one chat, and tries the values next to its elements. The value is a JSON
 * pointer, empty if none is needed.
 */
export async function findChatCursor(
  { pointer }: FoundChat,
  probing: ProbeContext,
): Promise<Detected<string>> {
  await createChat('second chat', probing, (answer) => {
    const body = answerJson(answer)
    return pointer === null ? findId(body, chatIdNames) : asString(valueAt(body, pointer))
  })
  const list = (more: { readonly cursor?: string }) =>
    probing.client.send({ ...route('v3.chats'), query: { limit: '1', ...more } })
  const page = await list({})
  if (isDeclined(page)) return unknown(describeProbe(page, 'with limit 1'))
  if (typeof cursorIn(page, undefined) === 'string') return { value: '', evidence: [] }
  const firstIds = elementIds(page)
  const candidates = leavesOf(answerJson(page)).filter(
    // Values outside arrays, under names that need no escaping in a pointer.
    ({ path, value }) =>
      ((typeof value === 'string' && value !== '') || typeof value === 'number') &&
      path.every((part) => /^[a-z_]\w*$/i.test(part)),
  )
  for (const { path, value } of candidates.slice(0, maxCursors)) {
    const next = await list({ cursor: String(value) })
    const ids = elementIds(next)
    if (!succeeded(next) || ids.length === 0 || ids.some((id) => firstIds.includes(id))) continue
    const found = pointerTo(path)
    const evidence = `${brief(page, 'with limit 1')}; the value at ${found} leads to the next page`
    return { value: found, evidence: [evidence] }
  }
  return unknown(
    `${describeProbe(page, 'with limit 1')}: no cursor was found; shapes.chatCursor may say where it is`,
  )
}

function elementIds(page: Exchange): unknown[] {
  return leavesOf(answerJson(page))
    .filter(({ path, value }) => isUuid(value) && path.some((part) => /^\d+$/.test(part)))
    .map(({ value }) => value)
}

/** Detects if a small text file is accepted, in a part with the common name `file` (section 4.3). */
export async function findAttachments(probing: ProbeContext): Promise<Detected<true>> {
  const { client, journal, tag } = probing
  const name = `${nameFor('file', tag)}.txt`
  const bytes = new TextEncoder().encode('One line of text.\n')
  const style = { boundary: `chatgen-${tag}`, typesParts: false }
  const raw = multipart({}, 'file', { name, type: 'text/plain', bytes }, style)
  const idIn = (answer: Exchange) =>
    asString(asObject(attachmentIn(answerJson(answer), name))?.['id'])
  const about = { kind: 'attachment', name, scenario: 'init' } as const
  const send = () => client.send({ ...route('v3.upload'), raw })
  const uploaded = await withJournal(journal, about, send, idIn)
  const observation = describeProbe(uploaded, 'with a text file in the part "file"')
  if (isDeclined(uploaded)) return unknown(observation)
  const hasId = idIn(uploaded) !== undefined
  const hint = 'The answer has no attachment with an id; shapes.attachment can point to it'
  return { value: true, evidence: hasId ? [observation] : [observation, hint] }
}

/** Detects if the two prefixes of section 4.3 answer; the routes below them are not documented. */
export async function findKnowledge({ client }: ProbeContext): Promise<Detected<true>> {
  const [v3, plain] = await Promise.all(
    knowledgePrefixes.map((path) => client.send({ surface: 'v3', method: 'GET', path })),
  )
  if (!v3 || !plain) return unknown()
  const evidence = [describeProbe(v3), describeProbe(plain)]
  const body = bodyJson(v3)
  const answers = !isDeclined(v3) && (isObject(body) || Array.isArray(body))
  return answers ? { value: true, evidence } : unknown(...evidence)
}

export type FoundV2Chat = 'create' | 'anyUuid'

const guess = '/api/v2/chat'

/**
 * Detects how to create a v2 chat, which the document does not show: by a guessed route, or by storing a
 * message under any UUID. Either counts only if a message is stored in it as section 2.3 says.
 */
export async function findV2Chat(probing: ProbeContext): Promise<Detected<FoundV2Chat>> {
  const { client, journal } = probing
  const name = nameFor('v2 chat', probing.tag)
  const about = { kind: 'v2 chat', name, scenario: 'init' } as const
  const send = () => client.send({ surface: 'v2', method: 'POST', path: guess, json: { name } })
  const idIn = (answer: Exchange) => findId(answerJson(answer), chatIdNames)
  const created = await withJournal(journal, about, send, idIn)
  const evidence = [describeProbe(created, 'with a guessed body')]
  const id = succeeded(created) ? idIn(created) : undefined
  if (id !== undefined) {
    const stored = await storesMessage(id, probing, 'into it')
    evidence.push(stored.sentence)
    const path = `${guess}/${encodeURIComponent(id)}`
    const deleted = await client.send({ surface: 'v2', method: 'DELETE', path, role: 'cleanup' })
    // A refusal leaves it in the journal.
    if (succeeded(deleted)) journal({ event: 'deleted', kind: 'v2 chat', id })
    if (stored.done) return { value: 'create', evidence }
  }
  const any = randomUUID()
  const stored = await storesMessage(any, probing, 'under a fresh UUID')
  if (stored.done) {
    journal({ event: 'created', kind: 'v2 chat', name: any, id: any, scenario: 'init' })
  }
  evidence.push(stored.sentence)
  return stored.done ? { value: 'anyUuid', evidence } : unknown(...evidence)
}

async function storesMessage(chat: string, { client, models }: ProbeContext, where: string) {
  const json = { chat_id: chat, content: 'Name a color.', model_id: models.main }
  const stored = await client.send({ ...route('v2.message'), json })
  const body = bodyJson(stored)
  const isStored = !isDeclined(stored) && isObject(body) && isUuid(body['id'])
  // A UUID may be in upper case.
  const done = isStored && String(body['chat_id']).toLowerCase() === chat.toLowerCase()
  return { done, sentence: brief(stored, where) }
}
