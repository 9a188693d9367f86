/** Effects on lists and their pages. */
import { mapStrings, setAt, toObject } from '../patches/json.ts'
import { ofBody } from '../patches/replies.ts'
import { isPaged } from './conditions.ts'
import { type Effect, editQuery, editRows } from './edits.ts'
import type { Circumstance } from './history.ts'
import { type FaultyOperation, queryMembers } from './schemas.ts'

export function listEffects(operation: FaultyOperation): readonly Effect[] {
  return [
    ...(isPaged(operation) || wholeLists.includes(operation) ? rowEffects : []),
    ...(isPaged(operation) ? pageEffects(operation) : []),
    ...(operation === 'v3.history' ? historyEffects : []),
    ...('search' in queryMembers(operation) ? [searchIgnored] : []),
  ]
}

/** Lists whose pages the document does not show. */
const wholeLists: readonly FaultyOperation[] = [
  ...(['openai.models', 'v3.favorites', 'v3.chatAttachments'] as const),
]

const rowEffects: readonly Effect[] = [
  { family: 'lose', name: 'the last row is lost', outgoing: editRows((rows) => rows.slice(0, -1)) },
  { family: 'lose', name: 'the first row is lost', outgoing: editRows((rows) => rows.slice(1)) },
  { family: 'lose', name: 'the list is empty', outgoing: editRows(() => []) },
  {
    family: 'duplicate',
    name: 'the first row comes twice',
    outgoing: editRows((rows) => [...rows.slice(0, 1), ...rows]),
  },
]

function pageEffects(operation: FaultyOperation): readonly Effect[] {
  const names = Object.keys(queryMembers(operation))
  const ignored = (name: string, needs: string, family: Effect['family'] = 'ignore'): Effect => ({
    family,
    name: `${name} is ignored`,
    needs,
    incoming: editQuery(name, undefined),
  })
  return [
    ignored('cursor', 'cursor: given'),
    ignored('limit', 'limit: up to 10'),
    {
      family: 'ignore',
      name: 'a page has one row more than limit',
      needs: 'limit: given',
      incoming: editQuery('limit', (limit: unknown) => Number(limit) + 1),
    },
    {
      family: 'ignore',
      name: 'a limit is taken for 50',
      needs: 'limit: above 20',
      incoming: editQuery('limit', 50),
    },
    ...(operation === 'v3.attachments' ? [ignored('chat_id', 'chat_id: given', 'leak')] : []),
    ...(names.includes('exclude_favorites')
      ? [ignored('exclude_favorites', 'exclude_favorites: given')]
      : []),
    {
      family: 'lose',
      name: 'the cursor of the next page is lost',
      outgoing: ofBody((body) => setAt(body, 'pagination.cursor', null)),
    },
    {
      family: 'lose',
      name: 'the list ends after 100 rows',
      needs: 'cursor: given',
      outgoing: ofBody((body, circumstance: Circumstance) =>
        rowsOfWalk(circumstance) >= 100
          ? { ...body, result: [], pagination: { cursor: null } }
          : body,
      ),
    },
    {
      family: 'duplicate',
      name: 'a page begins with the last row of the page before',
      needs: 'cursor: given',
      outgoing: editRows((rows, { earlier, operation: own }) => {
        const before = earlier.findLast((past) => past.operation === own)?.answer?.['result']
        return [...(Array.isArray(before) ? before.slice(-1) : []), ...rows]
      }),
    },
  ]
}

/** Number of rows on the pages before this one. */
function rowsOfWalk({ earlier, operation }: Circumstance): number {
  const own = earlier.filter((past) => past.operation === operation)
  const walk = own.slice(own.findLastIndex(({ query }) => query['cursor'] === undefined))
  return walk.reduce((sum, { answer }) => {
    const rows = answer?.['result']
    return sum + (Array.isArray(rows) ? rows.length : 0)
  }, 0)
}

const historyEffects: readonly Effect[] = [
  {
    family: 'mangle',
    name: 'texts are shown with ? for what is not ASCII',
    outgoing: editRows((rows) => rows.map((row) => toObject(mapStrings(row, withoutOthers)))),
  },
  ...[10, 49].map(
    (rows): Effect => ({
      family: 'ignore',
      name: `the default page size is ${rows}`,
      needs: 'limit: not given',
      incoming: editQuery('limit', rows),
    }),
  ),
  {
    family: 'stale',
    name: 'the first answer is repeated',
    not: ['cursor', 'page'],
    outgoing: ofBody((body, { earlier, operation, query }: Circumstance) => {
      const first = earlier.find(
        (past) => past.operation === operation && past.query['limit'] === query['limit'],
      )
      return first?.answer ?? body
    }),
  },
]

function withoutOthers(text: string, name: string): string {
  return name === 'text' ? text.replace(/[^\0-\x7f]/g, '?') : text
}

const searchIgnored: Effect = {
  family: 'ignore',
  name: 'search is ignored',
  needs: 'search: given',
  incoming: editQuery('search', undefined),
}
