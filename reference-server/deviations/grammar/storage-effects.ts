/** Effects on stored state: the context of the model, the history, access to them, lists and their pages. */
import { randomUUID } from 'node:crypto'
import type { Turn } from '../../model/types.ts'
import { newChat } from '../../surfaces/chats.ts'
import { mapStrings, setAt, toObject } from '../patches/json.ts'
import type { FaultyOperation } from '../patches/requests.ts'
import { isPaged } from './conditions.ts'
import {
  type Effect,
  editBody,
  editQuery,
  editRows,
  effectTable,
  paths,
  questionMarks,
} from './edits.ts'
import type { Circumstance } from './history.ts'
import type { Seams } from './injection.ts'
import { queryMembers } from './schemas.ts'

export function storageEffects(operation: FaultyOperation): readonly Effect[] {
  return [
    ...(remembers.includes(operation) ? contextEffects(operation) : []),
    ...(operation === 'v3.generate' ? historyEffects : []),
    ...(operation === 'v3.generate' || operation === 'v2.message' ? leavesAChat : []),
    ...(ofAChat.includes(operation) ? otherVersion : []),
    ...(owned.test(operation) ? otherCaller : []),
  ]
}

const remembers: readonly FaultyOperation[] = ['openai.chat', 'v2.generate', 'v3.generate']
const ofAChat: readonly FaultyOperation[] = ['v2.message', 'v3.generate', 'v3.history']
const owned = /^v3\.(chat|chats|favorites|history|attachments|chatAttachments)$/

/** Effects on the context, for requests that have one. */
function contextEffects(operation: FaultyOperation): readonly Effect[] {
  const isOfMessages = operation === 'openai.chat'
  const needs = isOfMessages ? ' (messages: several elements)' : ''
  const not = isOfMessages ? ['messages: one'] : ['occurrence: first', 'parent_id: not given']
  const turns = (
    change: (turns: readonly Turn[]) => readonly Turn[],
  ): Seams & Pick<Effect, 'not'> => ({
    not: [...ofOneToken, ...not],
    model: (request) => ({ ...request, turns: change(request.turns) }),
  })
  const earlier = (change: (text: string) => string) =>
    turns((all) => [
      ...all.slice(0, -1).map((turn) => ({ ...turn, text: change(turn.text) })),
      ...all.slice(-1),
    ])
  return effectTable({
    [`lose: earlier turns are not read${needs}`]: turns((all) => all.slice(-1)),
    [`lose: the first turn is not read${needs}`]: turns((all) =>
      all.length > 1 ? all.slice(1) : all,
    ),
    [`lose: turns before the latest three are not read${needs}`]: turns((all) => all.slice(-3)),
    [`lose: of earlier turns only the first line is read${needs}`]: earlier(
      (text) => text.split('\n')[0] ?? '',
    ),
    [`mangle: earlier turns are read in upper case${needs}`]: earlier((text) => text.toUpperCase()),
    'leak: turns of another chat are read': {
      not: ofOneToken,
      model: (request, foreign) => ({ ...request, turns: [...foreign, ...request.turns] }),
    },
  })
}

/** An answer of one token shows no fact. */
const ofOneToken = ['max_tokens: of 1']

const historyEffects = effectTable({
  'lose: the turn is not stored': { stores: () => [] },
  'lose: the answer is not stored': { stores: (chat, run) => [[chat, { ...run, output: [] }]] },
  'lose: the input is not stored': { stores: (chat, run) => [[chat, { ...run, input: [] }]] },
  'duplicate: the turn is stored twice': {
    stores: (chat, run) => [
      [chat, run],
      [chat, { ...run, id: randomUUID() }],
    ],
  },
  'leak: the turn is stored in another chat as well': {
    stores: (chat, run, other = chat) => [
      [chat, run],
      [other, { ...run, id: randomUUID() }],
    ],
  },
})

const otherVersion = effectTable({
  'accept: a chat of the other version is accepted': {
    finds: (chat) => ({ ...chat, version: chat.version === 'v2' ? 'v3' : 'v2' }),
  },
})

const otherCaller = effectTable({
  'leak: the caller is taken for the first one (caller: second)': {
    incoming: (call) => ({ ...call, caller: 'caller-1' }),
  },
})

/** A chat that is created implicitly is named after its first message. */
const leavesAChat = effectTable({
  'duplicate: a refused request leaves a chat': {
    only: paths,
    afterwards: (services, reply, { call, text }) => {
      if (reply.status < 400 || call.caller === '') return false
      void services.store.chats.create(newChat(services, call.caller, 'v3', text.slice(0, 80)))
      return true
    },
  },
})

export const knowledgeEffects = effectTable({
  'leak: documents of other bases are found': { searchesAll: true },
})

export function listEffects(operation: FaultyOperation): readonly Effect[] {
  return [
    ...(isPaged(operation) || wholeLists.includes(operation) ? rowEffects : []),
    ...(isPaged(operation) ? pageEffects(operation) : []),
    ...(operation === 'v3.history' ? historyPageEffects : []),
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

const historyPageEffects = effectTable({
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
