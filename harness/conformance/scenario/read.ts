import {
  asArray,
  asObject,
  asString,
  bodyJson,
  chatIdNames,
  type Exchange,
  isObject,
  isUuid,
  type JsonLeaf,
  leavesOf,
  mediaType,
  nodesOf,
  someValue,
  succeeded,
} from '../../../contract/index.ts'
import { finalResponse } from '../../judges/index.ts'

export {
  answerJson,
  bodyJson,
  bodyText,
  type Exchange,
  isDeclined,
  isObject,
  isUuid,
  type JsonLeaf,
  leavesOf,
  succeeded,
} from '../../../contract/index.ts'
export {
  answerText,
  compareForms,
  compareOutputWithHistory,
  type Delivery,
  deliveryOf,
  deltasOf,
  finalResponse,
} from '../../judges/index.ts'

/** Recognized by its `object` or its choices; other requirements judge its defects. */
export function isCompletion(exchange: Exchange): boolean {
  const body = bodyJson(exchange)
  return isObject(body) && (body['object'] === 'chat.completion' || 'choices' in body)
}

/** Recognized by its `object` or its output; other requirements judge its defects. */
export function isResponse(exchange: Exchange): boolean {
  const response = finalResponse(exchange)
  return response !== undefined && (response['object'] === 'response' || 'output' in response)
}

/** Texts of a v3 answer, one for each part of each message. */
export function answerParts(exchange: Exchange): string[] {
  return asArray(finalResponse(exchange)?.['output'])
    .filter((item) => isObject(item) && item['type'] === 'message')
    .flatMap((item) => asArray(asObject(item)?.['content']))
    .map((part) => (isObject(part) && part['type'] === 'output_text' ? part['text'] : undefined))
    .filter((text) => typeof text === 'string')
}

/** One element of `result` of `GET /message` (section 2.6). */
export type HistoryRow = Readonly<Record<string, unknown>>

export interface HistoryWalk {
  readonly rows: readonly HistoryRow[]
  readonly pages: readonly Exchange[]
  /** The cursor of the last page. */
  readonly lastCursor: unknown
}

export function historyRows(page: Exchange): HistoryRow[] {
  return asArray(asObject(bodyJson(page))?.['result']).filter(isObject)
}

/** `pagination.cursor`; undefined if the field is missing. */
export function historyCursor(page: Exchange): unknown {
  return asObject(asObject(bodyJson(page))?.['pagination'])?.['cursor']
}

/** Rows with user or system messages, if they show their item. */
export function inputRows(rows: readonly HistoryRow[], text = ''): HistoryRow[] {
  return rows.filter(({ item }) => {
    const role = asString(asObject(item)?.['role']) ?? ''
    return ['user', 'system', 'developer'].includes(role) && JSON.stringify(item).includes(text)
  })
}

/** False if the item of a row is null, which section 2.6 allows. */
export function everyItemShown(rows: readonly HistoryRow[]): boolean {
  return rows.every((row) => isObject(row['item']))
}

export function statusText(exchange: Exchange): string {
  return exchange.response === null ? 'no answer' : String(exchange.response.status)
}

/** Describes a response within a sentence: `404`, `502 with an HTML page`, `200 with application/json {error}`. */
export function describeAnswer(exchange: Exchange): string {
  const status = statusText(exchange)
  if (mediaType(exchange) === 'text/html') return `${status} with an HTML page`
  return succeeded(exchange) ? `${status} with ${describeShape(exchange)}` : status
}

/** The media type and the fields of a body, two levels deep: `application/json {error{code,type}}`. */
export function describeShape(exchange: Exchange): string {
  const type = mediaType(exchange) || 'no media type'
  const body = bodyJson(exchange)
  return body === undefined ? type : `${type} ${sketch(body, 2)}`
}

function sketch(value: unknown, depth: number): string {
  if (Array.isArray(value)) return value.length > 0 ? `[${sketch(value[0], depth)}]` : '[]'
  if (!isObject(value)) return value === null ? 'null' : typeof value
  if (depth === 0) return '{…}'
  const members = Object.entries(value).map(([key, inner]) =>
    isObject(inner) || Array.isArray(inner) ? `${key}${sketch(inner, depth - 1)}` : key,
  )
  return `{${members.sort().join(',')}}`
}

/** Tests if a text is among the values of a body; a UUID may be in upper case, or the name of a member. */
export function contains(body: unknown, text: string): boolean {
  if (!isUuid(text))
    return someValue(body, (value) => typeof value === 'string' && value.includes(text))
  const id = text.toLowerCase()
  return someValue(
    body,
    (value, key) =>
      (typeof value === 'string' &&
        value.length >= id.length &&
        value.toLowerCase().includes(id)) ||
      (key.length === id.length && key.toLowerCase() === id),
  )
}

/** Tests if a field at any depth has one of the names. */
export function hasMember(body: unknown, names: readonly string[]): boolean {
  return someValue(
    body,
    (value) => isObject(value) && names.some((name) => Object.hasOwn(value, name)),
  )
}

/** Texts that several elements of one list contain, if the list also contains others of them, or an element twice. */
export function repeatedIn(body: unknown, texts: readonly string[]): readonly string[] {
  const lists = nodesOf(body).flatMap(({ value }) => (Array.isArray(value) ? [value] : []))
  const counts = lists.map((list) => {
    const elements = list.map(valuesIn)
    return texts.map((text) => elements.filter((values) => values.has(text)).length)
  })
  const ofLists = counts.filter((count) => count.filter((times) => times > 0).length > 1)
  // A list within an element may name another one twice, so that only the outermost is searched for equal elements.
  const outermost = lists.find((list) => list.some(isObject)) ?? []
  const equal = Map.groupBy(outermost.filter(isObject), (one) => JSON.stringify(leavesOf(one)))
  const twins = [...equal.values()].flatMap(([one, other]) => (other ? [valuesIn(one)] : []))
  return texts.filter(
    (text, at) =>
      ofLists.some((count) => (count[at] ?? 0) > 1) || twins.some((values) => values.has(text)),
  )
}

const valuesIn = (element: unknown) => new Set(leavesOf(element).map(({ value }) => value))

/**
 * A page without what leads to other pages: their cursors and links may contain the id of an element that only they
 * show.
 */
export function withoutCursors(body: unknown): unknown {
  if (!isObject(body)) return body
  const others = Object.entries(body).filter(
    ([name, value]) => !(leadsOn.test(name) && (typeof value === 'string' || isLinks(name))),
  )
  return Object.fromEntries(others.map(([name, value]) => [name, withoutCursors(value)]))
}

/**
 * A page of chats whose records name no other chat, such as the one that a chat was copied from. Records are
 * recognized by the id of one of the given chats.
 */
export function withoutReferences(
  body: unknown,
  chats: ReadonlySet<string>,
  own?: string | undefined,
): unknown {
  if (typeof body === 'string') {
    const isOther = (id: string) => id.toLowerCase() !== own?.toLowerCase()
    return own !== undefined && (body.match(anyUuid) ?? []).some(isOther) ? null : body
  }
  if (Array.isArray(body)) return body.map((element) => withoutReferences(element, chats, own))
  if (!isObject(body)) return body
  const id =
    own ?? chatIdNames.map((name) => body[name]).find((value) => isUuid(value) && chats.has(value))
  const entries = Object.entries(body).map(
    ([name, value]) => [name, withoutReferences(value, chats, id as string | undefined)] as const,
  )
  return Object.fromEntries(entries)
}

const anyUuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

/** The values outside the elements of lists, which may have members of any name. */
export function leavesOutsideRows(body: unknown): JsonLeaf[] {
  return leavesOf(body).filter(({ path }) => !path.some((step) => /^\d+$/.test(step)))
}

const leadsOn = /cursor|next|prev|before|after|first|last|token|self|link|url|href/i

/** Lists of links name their pages in fields of any name. */
const isLinks = (name: string) => /^_?links$/i.test(name)

/** Tests if a body contains an array at any depth. */
export function holdsList(body: unknown): boolean {
  return someValue(body, Array.isArray)
}

/**
 * The ids of the chats in the list that contains one of the given chats: of the elements that have their id
 * under the same name. If no list of the body contains one, of the list in the same place as one of `similar`
 * that does. Empty if there is none.
 */
export function listedChatIds(
  body: unknown,
  ids: readonly string[],
  ...similar: readonly unknown[]
): ReadonlySet<string> {
  const lists = chatLists(body)
  for (const other of [body, ...similar]) {
    for (const [place, list] of chatLists(other)) {
      if (ids.some((id) => list.has(id.toLowerCase()))) return lists.get(place) ?? new Set()
    }
  }
  return new Set()
}

/** The ids of chats among the elements of each list, by the path of the list and the name of the id. */
function chatLists(body: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const lists = new Map<string, Set<string>>()
  for (const { path, value } of leavesOf(body)) {
    const name = path.at(-1) ?? ''
    const isOfElement = chatIdNames.includes(name) && /^\d+$/.test(path.at(-2) ?? '')
    if (!isOfElement || !isUuid(value)) continue
    const place = [...path.slice(0, -2), name].join('/')
    lists.set(place, (lists.get(place) ?? new Set()).add(value.toLowerCase()))
  }
  return lists
}
