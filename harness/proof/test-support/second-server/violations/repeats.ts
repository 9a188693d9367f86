import type { Call } from '../http.ts'
import type { ListKind, Page, Rules } from '../rules.ts'
import type { Violation } from './violation.ts'

/** Rules that hold the first time, or for a few elements, and not the n-th time. */
export const repeats: readonly Violation[] = [
  {
    name: 'only the latest key of a chat is remembered',
    section: '4.3',
    breaks: ['V3-IDEM-02', 'V3-IDEM-03'],
    changes: { remembers: (key, keys) => keys.at(-1) === key },
  },
  {
    name: 'only the latest three keys of a chat are remembered',
    section: '4.3',
    breaks: ['V3-IDEM-02', 'V3-IDEM-03'],
    changes: { remembers: (key, keys) => keys.slice(-3).includes(key) },
  },
  {
    name: 'a repeat is known by its key and its form',
    section: '4.3',
    breaks: ['V3-IDEM-02', 'V3-IDEM-03'],
    changes: { turnKey: (key, body) => `${key} ${body['stream'] === true}` },
  },
  {
    name: 'a repeat is known with think only',
    section: '4.3',
    breaks: ['V3-IDEM-02'],
    changes: { remembers: (_, __, turn) => turn.think || turn.stream },
  },
  {
    name: 'a repeat with think is not known',
    section: '4.3',
    breaks: ['V3-IDEM-02', 'V3-IDEM-03'],
    changes: { remembers: (_, __, turn) => !turn.think },
  },
  {
    name: 'a repeat with a list of items is not known',
    section: '4.3',
    breaks: ['V3-IDEM-02', 'V3-IDEM-03'],
    changes: { remembers: (_, __, turn) => !Array.isArray(turn.body['input']) },
  },
  {
    name: 'a repeat with a parent is not known',
    section: '4.3',
    breaks: ['V3-IDEM-02', 'V3-IDEM-03'],
    changes: { remembers: (_, __, turn) => turn.body['parent_id'] === undefined },
  },
  {
    name: 'keys that differ in letter case are one',
    section: '4.3',
    breaks: ['V3-IDEM-07', 'V3-IDEM-06'],
    changes: { turnKey: (key) => key.toLowerCase() },
  },
  {
    name: 'keys count up to their 36th character',
    section: '4.3',
    breaks: ['V3-IDEM-07', 'V3-IDEM-06'],
    changes: { turnKey: (key) => key.slice(0, 36) },
  },
  {
    name: 'keys count up to their 8th character',
    section: '4.3',
    breaks: ['V3-IDEM-07', 'V3-IDEM-06'],
    changes: { turnKey: (key) => key.slice(0, 8) },
  },
  page('pages of a history above 20 lose a row', 'history', 'V3-HIST-10', {
    when: ({ limit }) => limit > 20,
    next: 1,
  }),
  page('pages of a history above 20 repeat a row', 'history', 'V3-HIST-10', {
    when: ({ limit }) => limit > 20,
    next: -1,
  }),
  page('the third page of a history loses a row', 'history', 'V3-HIST-10', {
    when: ({ from, limit }) => from === limit,
    next: 1,
  }),
  page('the third page of a history repeats a row', 'history', 'V3-HIST-10', {
    when: ({ from, limit }) => from === limit,
    next: -1,
  }),
  page('the list of chats loses one between pages', 'chats', 'V3-CHAT-08', { next: 1 }),
  page('the list of chats repeats one between pages', 'chats', 'V3-CHAT-08', { next: -1 }),
  page('the list of chats loses one after its second page', 'chats', 'V3-CHAT-08', {
    when: ({ from, limit }) => from >= limit,
    next: 1,
  }),
  page('the list of files loses one between pages', 'files', 'V3-ATT-06', { next: 1 }),
  page('the list of files repeats one between pages', 'files', 'V3-ATT-10', { next: -1 }),
  {
    name: 'pages of a history above 10 have a row too many',
    section: '4.3',
    breaks: ['V3-HIST-08', 'V3-HIST-09'],
    changes: {
      page: (kind, list, from, limit) =>
        slice(list, from, kind === 'history' && limit > 10 ? limit + 1 : limit),
    },
  },
  {
    name: 'a second favorite takes the first back',
    section: '4.3',
    breaks: ['V3-FAV-01'],
    changes: favoriteAgain('POST', true),
  },
  {
    name: 'a second removal of a favorite adds it again',
    section: '4.3',
    breaks: ['V3-FAV-02'],
    changes: favoriteAgain('DELETE', false),
  },
  {
    name: 'a chat takes its first change only',
    section: '4.3',
    breaks: ['V3-CHAT-10'],
    changes: changedOnce(),
  },
  {
    name: 'a run knows its parent and nothing before it',
    section: '4.3',
    breaks: ['V3-CTX-01'],
    changes: {
      turn: (turn) =>
        turn.surface === 'generate' ? { ...turn, texts: turn.texts.slice(-3) } : turn,
    },
  },
  {
    name: 'a v2 reply knows one earlier message only',
    section: '4.2',
    breaks: ['V2-CTX-01'],
    changes: {
      turn: (turn) => (turn.surface === 'v2' ? { ...turn, texts: turn.texts.slice(-2) } : turn),
    },
  },
  {
    name: 'a completion knows the last three messages only',
    section: '4.1',
    breaks: ['OAI-CHAT-13'],
    changes: {
      turn: (turn) => (turn.surface === 'openai' ? { ...turn, texts: turn.texts.slice(-2) } : turn),
    },
  },
]

interface Place {
  readonly from: number
  readonly limit: number
}

/** Pages of one kind of list whose next page begins so many elements too late. */
function page(
  name: string,
  broken: ListKind,
  row: string,
  { when = () => true, next }: { readonly when?: (place: Place) => boolean; readonly next: number },
): Violation {
  return {
    name,
    section: '4.3',
    breaks: [row],
    changes: {
      page: (kind, list, from, limit) => {
        const right = slice(list, from, limit)
        // A page of one element that is repeated would come for ever.
        const applies = kind === broken && when({ from, limit }) && (limit > 1 || next > 0)
        if (!applies || right.next === undefined || right.next + next > list.length) return right
        return { rows: right.rows, next: right.next + next }
      },
    },
  }
}

function slice<T>(list: readonly T[], from: number, limit: number): Page<T> {
  const next = from + limit
  return { rows: list.slice(from, next), next: next < list.length ? next : undefined }
}

/** A verb that is applied twice undoes itself. */
function favoriteAgain(method: string, favorite: boolean): Partial<Rules> {
  const counts = new Map<string, number>()
  return {
    afterwards: (call, chat) => {
      if (!call.route.endsWith('/favorite') || chat === undefined) return
      if (call.request.method !== method) return
      const times = (counts.get(chat.id) ?? 0) + 1
      counts.set(chat.id, times)
      chat.favorite = times % 2 === 0 ? !favorite : favorite
    },
  }
}

function changedOnce(): Partial<Rules> {
  const names = new Map<string, string>()
  return {
    afterwards: (call: Call, chat) => {
      if (call.request.method !== 'PATCH' || chat === undefined) return
      const first = names.get(chat.id) ?? chat.name
      names.set(chat.id, first)
      chat.name = first
    },
  }
}
