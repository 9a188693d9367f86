import type { Call } from './http.ts'
import { type ListKind, legal, type Rules, type Turn } from './rules.ts'

/** A behavior that the document forbids. */
export interface Violation {
  readonly name: string
  /** Requirements that cover the broken behavior, any of which may report it. */
  readonly breaks: readonly string[]
  readonly changes: Partial<Rules>
}

/** Violations inside the server, which no fault of the proxy can produce. */
export const violations: readonly Violation[] = [
  gap('pages of a history above 20 lose a row', 'history', 'V3-HIST-10', ({ limit }) => limit > 20),
  gap('the third page of a history loses a row', 'history', 'V3-HIST-10', isSecondPage),
  gap('the list of chats loses one between pages', 'chats', 'V3-CHAT-08', () => true),
  gap('the list of files loses one between pages', 'files', 'V3-ATT-06', () => true),
  forgets('a run knows its parent and nothing before it', 'V3-CTX-01', 'generate', 3),
  forgets('a v2 reply knows one earlier message only', 'V2-CTX-01', 'v2', 2),
  forgets('a completion knows the last two messages only', 'OAI-CHAT-13', 'openai', 2),
  thinks('reasoning is streamed without think for a list of items', ({ body }) =>
    Array.isArray(body['input']),
  ),
  thinks(
    'one-shot streams reasoning without think',
    ({ stream, surface }) => stream && surface === 'one-shot',
  ),
  ...[
    'PATCH /api/v3/chat/{id}',
    'DELETE /api/v3/chat/{id}/favorite',
    'GET /api/v3/chat/{id}/attachments',
    'POST /api/v3/message/one-shot',
    'GET /api/knowledge',
  ].map((route) => opens(`${route} opens without a key`, (call) => call.route === route)),
  opens('v3 streams open without a key', ({ route, raw }) => {
    return route.includes('/api/v3/message') && raw['stream'] === true
  }),
  {
    name: 'deleting a chat clears the favorites of others',
    breaks: ['V3-CHAT-13'],
    changes: {
      afterwards: ({ request, user }) => {
        if (request.method !== 'DELETE') return
        for (const chat of user.chats.values()) chat.favorite = false
      },
    },
  },
  {
    name: 'a change of name loses the history',
    breaks: ['V3-CHAT-10', 'V3-HIST-07'],
    changes: {
      afterwards: ({ request }, chat) => {
        if (chat && request.method === 'PATCH') chat.rows.length = 0
      },
    },
  },
]

interface Place {
  readonly from: number
  readonly limit: number
}

/** Pages of one kind of list after which one element is left out. */
function gap(name: string, broken: ListKind, id: string, when: (at: Place) => boolean): Violation {
  return {
    name,
    breaks: [id],
    changes: {
      page: (kind, list, from, limit) => {
        const { rows, next } = legal.page(kind, list, from, limit)
        const applies = kind === broken && when({ from, limit })
        const isLast = next === undefined || next + 1 > list.length
        return { rows, next: applies && !isLast ? next + 1 : next }
      },
    },
  }
}

function isSecondPage({ from, limit }: Place): boolean {
  return from === limit
}

function forgets(name: string, id: string, surface: Turn['surface'], kept: number): Violation {
  return {
    name,
    breaks: [id],
    changes: {
      turn: (turn) =>
        turn.surface === surface ? { ...turn, texts: turn.texts.slice(-kept) } : turn,
    },
  }
}

function thinks(name: string, when: (turn: Turn) => boolean): Violation {
  return {
    name,
    breaks: ['V3-SSE-24'],
    changes: { turn: (turn) => (when(turn) ? { ...turn, think: true } : turn) },
  }
}

/** Requests for which no key is looked at. */
function opens(name: string, when: (call: Call) => boolean): Violation {
  return {
    name,
    breaks: [1, 2, 3, 4].map((row) => `V3-AUTH-0${row}`),
    changes: {
      accepts: (authorization, keys, call) =>
        legal.accepts(authorization, keys, call) ?? (when(call) ? keys[0] : undefined),
    },
  }
}
