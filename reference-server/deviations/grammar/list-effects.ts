/** Effects on lists and their pages. */
import { mapStrings, setAt, toObject } from '../patches/json.ts'
import type { FaultyOperation } from '../patches/requests.ts'
import { isPaged } from './conditions.ts'
import { type Effect, editBody, editQuery, editRows, effectTable, questionMarks } from './edits.ts'
import type { Circumstance } from './history.ts'
import { queryMembers } from './schemas.ts'

export function listEffects(operation: FaultyOperation): readonly Effect[] {
  return [
    ...(isPaged(operation) || wholeLists.includes(operation) ? rowEffects : []),
    ...(isPaged(operation) ? pageEffects(operation) : []),
    ...(operation === 'v3.history' ? historyEffects : []),
    ...('search' in queryMembers(operation) ? searchIgnored : []),
  ]
}

/** Lists whose pages the document does not show. */
const wholeLists: readonly FaultyOperation[] = [
  ...(['openai.models', 'v3.favorites', 'v3.chatAttachments'] as const),
]

const rowEffects = effectTable({
  'lose: the last row is lost': editRows((rows) => rows.slice(0, -1)),
  'lose: the first row is lost': editRows((rows) => rows.slice(1)),
  'lose: the list is empty': editRows(() => []),
  'duplicate: the first row comes twice': editRows((rows) => [...rows.slice(0, 1), ...rows]),
})

function pageEffects(operation: FaultyOperation): readonly Effect[] {
  const hasFavorites = 'exclude_favorites' in queryMembers(operation)
  return effectTable({
    'ignore: cursor is ignored (cursor: given)': editQuery('cursor', undefined),
    'ignore: limit is ignored (limit: up to 10)': editQuery('limit', undefined),
    'ignore: a page has one row more than limit (limit: given)': editQuery(
      'limit',
      (limit: unknown) => Number(limit) + 1,
    ),
    'ignore: a limit is taken for 50 (limit: above 20)': editQuery('limit', 50),
    ...(operation === 'v3.attachments' && {
      'leak: chat_id is ignored (chat_id: given)': editQuery('chat_id', undefined),
    }),
    ...(hasFavorites && {
      'ignore: exclude_favorites is ignored (exclude_favorites: given)': editQuery(
        'exclude_favorites',
        undefined,
      ),
    }),
    'lose: the cursor of the next page is lost': editBody((body) =>
      setAt(body, 'pagination.cursor', null),
    ),
    'lose: the list ends after 100 rows (cursor: given)': editBody((body, circumstance) =>
      rowsOfWalk(circumstance) >= 100
        ? { ...body, result: [], pagination: { cursor: null } }
        : body,
    ),
    'duplicate: a page begins with the last row of the page before (cursor: given)': editRows(
      (rows, { earlier, operation: own }) => {
        const before = earlier.findLast((past) => past.operation === own)?.answer?.['result']
        return [...(Array.isArray(before) ? before.slice(-1) : []), ...rows]
      },
    ),
  })
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

const inAscii = (text: string, name: string) => (name === 'text' ? questionMarks(text) : text)

const historyEffects = effectTable({
  'mangle: texts are shown with ? for what is not ASCII': editRows((rows) =>
    rows.map((row) => toObject(mapStrings(row, inAscii))),
  ),
  'ignore: the default page size is 10 (limit: not given)': editQuery('limit', 10),
  'ignore: the default page size is 49 (limit: not given)': editQuery('limit', 49),
  'stale: the first answer is repeated': {
    not: ['cursor', 'page'],
    ...editBody((body, { earlier, operation, query }) => {
      const first = earlier.find(
        (past) => past.operation === operation && past.query['limit'] === query['limit'],
      )
      return first?.answer ?? body
    }),
  },
})

const searchIgnored = effectTable({
  'ignore: search is ignored (search: given)': editQuery('search', undefined),
})
