/** Lists of chats and attachments: neither their shape nor what a search matches is shown. */
import type { Parts, Refit } from '../../parts.ts'
import type { Page, PageRequest } from '../../store/types.ts'
import { type Json, objectOf, onAnswer, type Place } from '../seams.ts'
import { together } from '../together.ts'
import type { Dialect } from '../types.ts'
import { alternatives } from './alternatives.ts'

const lists: readonly Place[] = [
  'GET /api/v3/chat',
  'GET /api/v3/chat/favorite',
  'GET /api/v3/attachment',
  'GET /api/v3/chat/:chat_id/attachments',
]

export const listed: readonly Dialect[] = [
  ...alternatives([
    {
      name: 'lists-under-items',
      summary: 'Lists stand under items, and the cursor beside them as next_cursor.',
      refit: listsAs(({ result, pagination }) => ({
        items: result,
        next_cursor: objectOf(pagination)['cursor'],
      })),
    },
    {
      name: 'lists-under-data',
      summary: 'Lists stand under data, and the cursor in meta.page.next.',
      refit: listsAs(({ result, pagination }) => ({
        data: result,
        meta: { total: null, page: { next: objectOf(pagination)['cursor'], previous: null } },
      })),
    },
    {
      name: 'lists-bare',
      summary: 'Lists are bare arrays; where they go on, nobody is told.',
      refit: listsAs(({ result }) => result),
    },
    {
      name: 'lists-with-numeric-cursors',
      summary: 'The cursors of lists are numbers.',
      refit: numericCursors,
    },
    {
      name: 'lists-without-last-cursor',
      summary: 'The last page of a list has no cursor member at all.',
      refit: listsAs(({ result, pagination }) =>
        objectOf(pagination)['cursor'] === null ? { result } : { result, pagination },
      ),
    },
  ]),
  {
    name: 'lists-capped-at-ten',
    summary: 'No list has more than ten rows a page, whatever the limit.',
    refit: cappedLists(10),
  },
  {
    name: 'search-from-the-start',
    summary: 'A search finds the names that begin with it.',
    refit: (parts) => {
      const { attachments, chats } = parts.store
      return {
        ...parts,
        store: {
          ...parts.store,
          chats: {
            ...chats,
            list: (owner, page) =>
              startingWith(
                page,
                ({ name }) => name,
                (all) => chats.list(owner, { ...page, ...all }),
              ),
          },
          attachments: {
            ...attachments,
            list: (owner, page) =>
              startingWith(
                page,
                ({ filename }) => filename,
                (all) => attachments.list(owner, { ...page, ...all }),
              ),
          },
        },
      }
    },
  },
]

function listsAs(change: (list: Json) => unknown): Refit {
  return together(lists.map((place) => onAnswer(place, change)))
}

/** Cursors of ours, by the number that stands for them. */
function numericCursors(parts: Parts): Parts {
  const known: unknown[] = []
  const shown = listsAs(({ result, pagination }) => {
    const { cursor } = objectOf(pagination)
    return { result, pagination: { cursor: cursor === null ? null : known.push(cursor) } }
  })(parts)
  return {
    ...shown,
    incoming: (call) => {
      const seen = shown.incoming(call)
      const query = objectOf(seen.query)
      const cursor = known[Number(query['cursor']) - 1]
      return cursor === undefined || seen.path === '/api/v3/message'
        ? seen
        : { ...seen, query: { ...query, cursor } }
    },
  }
}

function cappedLists(most: number): Refit {
  return (parts) => ({
    ...parts,
    incoming: (call) => {
      const seen = parts.incoming(call)
      const query = objectOf(seen.query)
      const isList = seen.method === 'GET' && seen.path !== '/api/v3/message'
      const limit = Number(query['limit'] ?? most)
      return isList && limit > most ? { ...seen, query: { ...query, limit: String(most) } } : seen
    },
  })
}

/** Row by row, because only a page tells the position of its last row. */
async function startingWith<Row>(
  { search, limit, before }: PageRequest,
  nameOf: (row: Row) => string,
  list: (page: Partial<PageRequest>) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  if (search === undefined) return list({})
  const found: Row[] = []
  for (let from = before; ; ) {
    const { rows, next } = await list({ search: undefined, before: from, limit: 1 })
    found.push(...rows.filter((row) => nameOf(row).toLowerCase().startsWith(search.toLowerCase())))
    if (next === null || found.length === limit) return { rows: found, next }
    from = next
  }
}
