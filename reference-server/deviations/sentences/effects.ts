/** Effects whose names state a value, an event or a status. No fault is drawn with them. */
import type { RunItem } from '../../events/response-object.ts'
import type { ValueReply } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import type { Services } from '../../services.ts'
import type { StoredRun } from '../../store/types.ts'
import { newChat } from '../../surfaces/chats.ts'
import { editBody, editQuery, editRequest } from '../grammar/edits.ts'
import type { Circumstance } from '../grammar/history.ts'
import { isMarked, type Seams } from '../grammar/injection.ts'
import { fits } from '../grammar/request-effects.ts'
import { bodyMembers, type Schema } from '../grammar/schemas.ts'
import {
  dropEvents,
  type EventSelector,
  finalEvents,
  moveEvents,
  nth,
  type Rewrite,
  replaceEvents,
  setInEvents,
} from '../patches/events.ts'
import { type Json, setAt, toObject } from '../patches/json.ts'
import { isOfOtherVersion, ofBlocks, ofErrors, withHeaders } from '../patches/replies.ts'
import { chatIdOf, type FaultyOperation } from '../patches/requests.ts'
import { changeNamed } from './words.ts'

type Make = (words: readonly string[], members: ReturnType<typeof bodyMembers>) => Seams | undefined

/** The seams of an effect with a name; undefined if there is none. */
export function statedSeams(operation: FaultyOperation, name: string): Seams | undefined {
  for (const [sentence, make] of sentences) {
    const [whole, ...words] = sentence.exec(name) ?? []
    if (whole !== undefined) return make(words, bodyMembers(operation))
  }
  return undefined
}

const path = '([\\w.*]+)'
const event = '((?:the \\w+ )?response\\.[\\w.]+|the end)'

/** The first that fits is taken. */
const sentences = Object.entries<Make>({
  'the request is refused': () => ({ incoming: () => refuse('400') }),
  'the request is refused with (\\d+)': ([status]) => ({ incoming: () => refuse(status) }),
  'a (missing|wrong) key is refused with (\\d+)': ([which = '', status]) => ({
    admits: (given = '', [key]) => (isKey[which]?.test(given) ? key : undefined),
    incoming: (call, { call: sent }) => (isMarked(sent) ? refuse(status) : call),
  }),
  [`${path} (?:and ${path} are|is) ignored`]: (names, members) =>
    editRequest((body) =>
      names
        .filter(Boolean)
        .reduce((rest, name) => setAt(rest, name, unlessWrong(members[name])), body),
    ),
  [`${path} of a wrong type is accepted`]: ([name = ''], members) =>
    editRequest((body) =>
      setAt(body, name, (old: unknown) => (fits(members[name] ?? {}, old) ? old : undefined)),
    ),
  [`${path} is read as (.+)`]: ([name = '', as = '']) => {
    const change = changeNamed(as)
    return change && editRequest((body) => setAt(body, name, orNull(change)))
  },
  'the default page size is (\\d+)': ([size]) =>
    editQuery('limit', (given: unknown) => given ?? size),
  'messages of the system are not read': () => ({
    model: ({ turns, ...request }) => ({
      ...request,
      turns: turns.filter(({ role }) => role !== 'system'),
    }),
  }),
  'an answer may have one token more than its limit': () => ({
    model: (request) => ({ ...request, maxTokens: request.maxTokens + 1 }),
  }),
  '(\\w+) items are not stored': ([kind = '']) => ({
    stores: (chat, run) => {
      const others = (items: StoredRun['input']) => items.filter((item) => !isOf(kind, item))
      return [[chat, { ...run, input: others(run.input), output: others(run.output) }]]
    },
  }),
  'favorite of the chat is then (true|false)': ([to]) =>
    afterSuccess(({ store }, { call }) =>
      store.chats.update(call.caller, chatIdOf(call), { favorite: to === 'true' }),
    ),
  'the request leaves a chat': () =>
    afterSuccess((services, { call, text }) =>
      services.store.chats.create(newChat(services, call.caller, 'v3', text.slice(0, 80))),
    ),
  'the request leaves a turn in a new chat': () =>
    afterSuccess(async (services, { call, text }) => {
      const { clock, ids, store } = services
      const chat = newChat(services, call.caller, 'v3')
      const content = [{ type: 'input_text', text }]
      const input = [{ id: ids.uuid(), type: 'message', role: 'user', content }]
      await store.chats.create(chat)
      const run = { id: ids.uuid(), parentId: null, createdAt: clock.now(), input, output: [] }
      await store.history.append(chat.id, run)
    }),
  'the chat is then deleted': () =>
    afterSuccess(({ store }, { call }) => store.chats.delete(call.caller, chatIdOf(call))),
  'a refusal has status (\\d+)': ([status]) => ({
    outgoing: ofErrors((reply) => ({ ...reply, status: Number(status) })),
  }),
  'the other version is accepted': () =>
    onOtherVersion((reply) => ({ ...reply, status: 200, body: anyAnswer })),
  'the other version is answered with (\\d+)': ([status]) =>
    onOtherVersion((reply) => ({ ...reply, status: Number(status) })),
  'the hint names the other prefix': () =>
    withHint((hint) => hint.replaceAll(/v[23]/g, (one) => (one === 'v2' ? 'v3' : 'v2'))),
  'the hint is "(.+)"': ([hint = '']) => withHint(() => hint),
  'a refused request takes effect': () => ({
    incoming: (call) => ({ ...call, headers: { 'idempotency-key': call.id, ...call.headers } }),
    outgoing: (reply) => (reply.status < 300 ? { status: 400, body: { error: 'Not so' } } : reply),
  }),
  'the answer has no content': () => ({
    outgoing: (reply) => (reply.status < 300 ? { status: 204 } : reply),
  }),
  'the media type is (\\S+)': ([type = '']) => ({
    outgoing: (reply) =>
      'blocks' in reply || reply.status >= 300
        ? reply
        : withHeaders(reply, { 'content-type': type }),
  }),
  'the answer is in a list': () => editBody((body) => [body]),
  'the answer is its (\\w+)': ([name = '']) => editBody((body) => toObject(body)[name]),
  'the answer is under (\\w+)': ([name = '']) => editBody((body) => ({ [name]: body })),
  [`${event} is lost`]: ([which]) => onEvents(dropEvents(selected(which))),
  '(\\S+) follows the end': ([type = '']) =>
    onEvents(replaceEvents(finalEvents, (end) => [end, { type, sequence_number: 0 }])),
  [`${event} comes (before|after) (\\S+)`]: ([which, side, type = '']) =>
    onEvents(moveEvents(selected(which), side === 'before' ? 'before' : 'after', type)),
  [`${path} of ${event} is (.+)`]: ([name = '', which, to = '']) => {
    const change = changeNamed(to)
    return change && onEvents(setInEvents(selected(which), { [name]: change }))
  },
  [`${path} of chunks is (.+)`]: ([name = '', to = '']) => {
    const change = changeNamed(to)
    return change && { outgoing: ofBlocks((chunk) => [setAt(chunk, name, change)]) }
  },
  [`${path} of (\\w+) rows is (.+)`]: ([name = '', kind = '', to = '']) => {
    const change = changeNamed(to)
    const edit = (row: Json) => (isOf(kind, toObject(row['item'])) ? setAt(row, name, change) : row)
    return change && editBody((body) => setAt(body, 'result.*', edit))
  },
  [`${path} is (.+)`]: ([name = '', to = '']) => {
    const change = changeNamed(to)
    return change && editBody((body) => setAt(body, name, change))
  },
}).map(([sentence, make]) => [new RegExp(`^${sentence}$`), make] as const)

function afterSuccess(act: (services: Services, circumstance: Circumstance) => unknown): Seams {
  return {
    afterwards: (services, { status }, circumstance) => {
      if (status < 300) void act(services, circumstance)
      return status < 300
    },
  }
}

/** The body of a success of any operation on a chat. */
const anyAnswer = {
  ...{ id: 'resp_1', object: 'response', status: 'completed', output: [] },
  ...{ result: [], pagination: { cursor: null } },
  ...{ name: 'A title', message: { content: 'Blue.' } },
}

/** Edit of the refusal of a chat of the other version. */
function onOtherVersion(change: (refusal: ValueReply) => ValueReply): Seams {
  return { outgoing: (reply) => (isOfOtherVersion(reply) ? change(reply) : reply) }
}

function withHint(words: (hint: string) => string): Seams {
  return onOtherVersion((reply) => ({
    ...reply,
    body: { error: words(String(toObject(reply.body)['detail'])) },
  }))
}

function refuse(status: string | undefined): never {
  throw new ApiError(Number(status), 'Not like this')
}

const isKey: Readonly<Record<string, RegExp>> = { missing: /^[^ ]*$/, wrong: /^Bearer \S+$/ }

/** A value of a wrong type is refused as before; fields of the schema alone have a type. */
const unlessWrong = (schema: Schema | undefined) => (old: unknown) =>
  schema === undefined || fits(schema, old) ? undefined : old

const orNull = (change: (old: unknown) => unknown) => (old: unknown) =>
  old === undefined || old === null ? old : change(old)

/** True for an item with a role or a type, or with any role of an input. */
function isOf(kind: string, { role, type }: RunItem | Json): boolean {
  return role === kind || type === kind || (kind === 'input' && !!role && role !== 'assistant')
}

function selected(which = ''): EventSelector {
  const [, place, type = which] = /^the (\w+) (.+)$/.exec(which) ?? []
  if (which === 'the end') return finalEvents
  return place === undefined ? type : nth(type, place === 'last' ? -1 : Number(place) - 1 || 0)
}

function onEvents(events: Rewrite): Seams {
  return { events }
}
