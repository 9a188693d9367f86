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
import { withJournal } from '../cleanup/journal.ts'
import { isDeclined } from '../scenario/read.ts'
import { cursorIn } from '../scenario/routes/paging.ts'
import type { FoundChat } from './chat.ts'
import {
  brief,
  type Detected,
  describeProbe,
  nameFor,
  type ProbeContext,
  route,
  unknown,
} from './probe.ts'

/**
 * Detects the member of the list of chats that leads to its next page, where it has no name that is
 * known: makes a second chat, asks for a page of one, and tries what it shows beside its elements.
 * The value is a JSON pointer, empty where none is needed.
 */
export async function findChatCursor(
  first: FoundChat,
  probing: ProbeContext,
): Promise<Detected<string>> {
  const { client, journal } = probing
  const name = nameFor('second chat', probing)
  const about = { kind: 'chat', name, scenario: 'init' } as const
  const send = () => client.send({ ...route('v3.createChat'), json: { name } })
  await withJournal(journal, about, send, (answer) => chatIdIn(answer, first))

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

const maxCandidates = 4

/** Values outside of any array, under names that a pointer can have as they are. */
function candidates(page: Exchange): JsonLeaf[] {
  const isCursor = (value: unknown) =>
    (typeof value === 'string' && value !== '') || typeof value === 'number'
  return leavesOf(answerJson(page))
    .filter(({ path, value }) => isCursor(value) && path.every((part) => /^[a-z_]\w*$/i.test(part)))
    .slice(0, maxCandidates)
}

function elementIds(page: Exchange): string[] {
  return leavesOf(answerJson(page))
    .filter(({ path, value }) => isUuid(value) && path.some((part) => /^\d+$/.test(part)))
    .map(({ value }) => String(value))
}
