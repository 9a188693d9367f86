/** Lists of chats and attachments: the document specifies neither their shape nor what search matches. */
import type { Patch, Services } from '../../../services.ts'
import type { Page, PageRequest } from '../../../store/types.ts'
import { isText, type Json, toList, toObject } from '../../patches/json.ts'
import {
  afterSuccess,
  onError,
  onSuccess,
  onSuccessBody,
  setFields,
  withHeaders,
} from '../../patches/replies.ts'
import type { Where } from '../../patches/requests.ts'
import { onRequest, onRequestBody } from '../../patches/requests.ts'
import { compose, mapping, onStore, perServer, remembering } from '../../patches/services.ts'
import { alternatives, type Dialect, dialectTable } from '../../table.ts'

const lists = ['v3.chats', 'v3.favorites', 'v3.attachments', 'v3.chatAttachments'] as const

const maxRows = 10

const withoutLastCursor = reshapeLists(({ result, pagination }) =>
  toObject(pagination)['cursor'] === null ? { result } : { result, pagination },
)

export const listDialects: readonly Dialect[] = [
  ...dialectTable({
    'lists-capped-at-ten: Lists return at most ten rows per page, regardless of limit.': editLimit(
      lists,
      (limit) => (Number(limit ?? maxRows) > maxRows ? maxRows : limit),
    ),
    'history-capped-at-ten: A limit above 10 is treated as 10; the default page size remains 50.':
      editLimit('v3.history', (limit) => (Number(limit ?? 0) > maxRows ? `${maxRows}` : limit)),
    'lists-of-one-row: Lists return one row per page, and so does the history if a limit is given.':
      {
        // One favorite without a cursor, for a route without that parameter (section 4.3), hides the others.
        excludes: ['lists-bare'],
        patch: compose([
          editLimit('v3.history', (limit) => limit && '1'),
          onStore('chats', ({ list }) => ({ list: oneByOne(list) })),
          onStore('attachments', ({ list }) => ({ list: oneByOne(list) })),
          onStore('knowledge', ({ bases }) => ({ bases: oneByOne(bases) })),
        ]),
      },
    'chat-names-on-one-line: White space in chat names is collapsed to one space, and characters are composed (NFC).':
      onRequestBody(['v3.createChat', 'v3.updateChat'], (body) =>
        isText(body['name'])
          ? { ...body, name: body['name'].normalize().replaceAll(/\s+/g, ' ').trim() }
          : body,
      ),
    'chats-after-others: A chat shows the id of the chat before it, and its first turn gives it a name.':
      compose([showChatsBefore, nameByFirstTurn()]),
    'files-of-any-version: GET /attachment with the id of a v2 chat returns an empty list.':
      onError('v3.attachments', (reply) =>
        reply.status === 409
          ? { status: 200, body: { result: [], pagination: { cursor: null } } }
          : reply,
      ),
    'search-from-the-start: search matches only the beginning of names.': compose([
      onStore('chats', ({ list }) => ({ list: searchedByPrefix(list, ({ name }) => name) })),
      onStore('attachments', ({ list }) => ({
        list: searchedByPrefix(list, ({ filename }) => filename),
      })),
    ]),
    'search-is-repeated: A list of chats also contains the text of its search, under another name.':
      onSuccessBody('v3.chats', (body, { query }) => ({
        ...body,
        meta: { query: toObject(query)['search'] },
      })),
  }),
  ...alternatives({
    'lists-under-items: Lists are in items, with the cursor in next_cursor and that of the page itself in cursor.':
      reshapeLists(({ result, pagination }) => ({
        items: result,
        cursor: toObject(toList(result)[0])['id'] ?? null,
        next_cursor: toObject(pagination)['cursor'],
      })),
    'lists-under-data: Lists are in data, with an empty list of errors and the cursor in meta.page.next.':
      reshapeLists(({ result, pagination }) => ({
        errors: [],
        data: result,
        meta: { total: null, page: { next: toObject(pagination)['cursor'], previous: null } },
      })),
    'lists-with-links: Lists are in data, with links to the next page and to the one that was read before.':
      perServer(
        (): { before: unknown } => ({ before: null }),
        (memory) =>
          reshapeLists(({ result, pagination }) => {
            const { cursor } = toObject(pagination)
            const next =
              cursor === null ? null : `/next?cursor=${encodeURIComponent(String(cursor))}`
            const links = { prev: `/before?row=${memory.before}`, next }
            memory.before = toObject(toList(result)[0])['id']
            return { data: result, links }
          }),
      ),
    'lists-as-connections: Lists are GraphQL connections: edges, each with a node and its cursor, and pageInfo with the last cursor.':
      reshapeLists(({ result, pagination }) => {
        const { cursor } = toObject(pagination)
        const edges = toList(result).map((node, at) => ({ cursor: `${cursor}-${at}`, node }))
        return { edges, pageInfo: { hasNextPage: cursor !== null, endCursor: cursor } }
      }),
    'lists-with-link-headers: Lists are bare arrays; the header Link (RFC 8288) has the cursor.':
      onSuccess(lists, (reply) => {
        const { result, pagination } = toObject(reply.body)
        const { cursor } = toObject(pagination)
        const link = `</api/v3/chat?cursor=${encodeURIComponent(String(cursor))}>; rel="next"`
        return { ...withHeaders(reply, cursor === null ? {} : { link }), body: result }
      }),
    'lists-by-id: Lists are objects whose members are named by the ids of their elements.':
      reshapeLists(({ result, ...page }) => ({
        ...page,
        result: Object.fromEntries(
          toList(result).map((one) => {
            const { id, ...row } = toObject(one)
            return [String(id), row]
          }),
        ),
      })),
    'lists-bare: Lists are bare arrays without a cursor.': reshapeLists(({ result }) => result),
    'lists-with-numeric-cursors: The cursors of lists are numbers.': writeCursors((at) => at),
    'lists-with-cursors-like-links: The cursors of lists look like links, and are accepted only unchanged.':
      writeCursors((at) => `/api/v3/chat?cursor=${at}`),
    'lists-without-last-cursor: The last page of a list omits pagination.': withoutLastCursor,
    'lists-without-last-cursor-by-pointer: The last page of a list omits pagination; the profile has the JSON pointers to the cursors.':
      {
        profile: {
          shapes: { chatCursor: '/pagination/cursor', attachmentCursor: '/pagination/cursor' },
        },
        patch: withoutLastCursor,
      },
  }),
]

function oneByOne<Query extends object, Rows>(
  list: (owner: string, page: Query) => Rows,
): (owner: string, page: Query) => Rows {
  return (owner, page) => list(owner, { ...page, limit: 1 })
}

function showChatsBefore(services: Services): Services {
  const before = new Map<unknown, unknown>()
  let latest: unknown = null
  const withBefore = (chat: Json) => ({ ...chat, previous_id: before.get(chat['id']) ?? null })
  return compose([
    onSuccessBody('v3.createChat', (chat) => {
      before.set(chat['id'], latest)
      latest = chat['id']
      return withBefore(chat)
    }),
    onSuccessBody(['v3.chat', 'v3.updateChat'], withBefore),
    setFields(['v3.chats', 'v3.favorites'], { 'result.*': withBefore }),
  ])(services)
}

function nameByFirstTurn(): Patch {
  return remembering((named) =>
    afterSuccess('v3.generate', ({ store }, { caller }, id) => {
      if (named.has(id)) return undefined
      named.add(id)
      return store.chats.update(caller, id, { name: 'Bread and stars' })
    }),
  )
}

function reshapeLists(change: (list: Json) => unknown): Patch {
  return onSuccessBody(lists, change)
}

/** Replaces cursors by others, which are made of a number. */
function writeCursors(write: (at: number) => unknown): Patch {
  return mapping((cursors) => [
    onRequest(lists, (call) => {
      const query = toObject(call.query)
      return {
        ...call,
        query: { ...query, cursor: cursors.get(query['cursor']) ?? query['cursor'] },
      }
    }),
    reshapeLists(({ result, pagination }) => {
      const { cursor } = toObject(pagination)
      const written = cursor === null ? null : write(cursors.size)
      cursors.set(String(written), cursor)
      return { result, pagination: { cursor: written } }
    }),
  ])
}

/** Changes the parameter `limit` of a request. */
function editLimit(where: Where, change: (limit: unknown) => unknown): Patch {
  return onRequest(where, (call) => {
    const query = toObject(call.query)
    return { ...call, query: { ...query, limit: change(query['limit']) } }
  })
}

/** Row by row, because only a page gives the position of its last row. */
function searchedByPrefix<Query extends PageRequest, Row>(
  list: (owner: string, page: Query) => Promise<Page<Row>>,
  nameOf: (row: Row) => string,
): typeof list {
  return async (owner, page) => {
    const start = page.search?.toLowerCase()
    if (start === undefined) return list(owner, page)
    const found: Row[] = []
    for (let { before } = page; ; ) {
      const one = await list(owner, { ...page, search: undefined, before, limit: 1 })
      found.push(...one.rows.filter((row) => nameOf(row).toLowerCase().startsWith(start)))
      if (one.next === null || found.length >= page.limit) return { rows: found, next: one.next }
      before = one.next
    }
  }
}
