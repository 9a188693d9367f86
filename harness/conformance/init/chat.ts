import {
  answerJson,
  asString,
  chatIdNames,
  type Exchange,
  findId,
  isUuid,
  leavesOf,
  succeeded,
  valueAt,
} from '../../../contract/index.ts'
import { withJournal } from '../cleanup/journal.ts'
import { isDeclined } from '../scenario/read.ts'
import { cursorIn } from '../scenario/routes/paging.ts'
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
    if (found.pointer !== null) evidence.push(`Only the UUID at ${found.pointer} reads as a chat`)
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
