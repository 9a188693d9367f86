import { isText } from '../json.ts'
import type { Rules } from '../rules.ts'
import { createChat } from '../state.ts'
import { isGenerate, isOneShot, type Violation } from './violation.ts'

const effect = (
  name: string,
  section: string,
  breaks: readonly string[],
  afterwards: Rules['afterwards'],
): Violation => ({ name, section, breaks, changes: { afterwards } })

const strayChat =
  'a chat without the words of a scenario may be one of another client of the same caller'

/** Side effects, and neighbors that are touched. */
export const effects: readonly Violation[] = [
  effect('a change of name clears a favorite', '4.3', ['V3-CHAT-10', 'V3-FAV-01'], (call, chat) => {
    if (chat && call.request.method === 'PATCH') chat.favorite = false
  }),
  effect('a generation clears a favorite', '4.3', ['V3-FAV-01'], (call, chat) => {
    if (chat && isGenerate(call)) chat.favorite = false
  }),
  effect('a generation makes a favorite', '4.3', ['V3-FAV-03'], (call, chat) => {
    if (chat && isGenerate(call)) chat.favorite = true
  }),
  effect('a favorite changes the name', '4.3', ['V3-CHAT-02', 'V3-FAV-01'], (call, chat) => {
    if (chat && call.route.endsWith('/favorite')) chat.name = 'Favorite'
  }),
  effect('a favorite loses the history', '4.3', ['V3-HIST-07', 'V3-FAV-01'], (call, chat) => {
    if (chat && call.route.endsWith('/favorite')) chat.rows.length = 0
  }),
  effect('a new title loses the history', '4.3', ['V3-CHAT-12', 'V3-HIST-07'], (call, chat) => {
    if (chat && call.route.endsWith('/generate-name')) chat.rows.length = 0
  }),
  effect(
    'a change of name loses the history',
    '4.3',
    ['V3-CHAT-10', 'V3-HIST-07'],
    (call, chat) => {
      if (chat && call.request.method === 'PATCH') chat.rows.length = 0
    },
  ),
  effect(
    'a new chat takes the favorite of the others',
    '4.3',
    ['V3-CHAT-13', 'V3-FAV-01'],
    (call) => {
      if (call.route !== 'POST /api/v3/chat') return
      for (const chat of call.user.chats.values()) chat.favorite = false
    },
  ),
  effect('deleting a chat clears the favorites of others', '4.3', ['V3-CHAT-13'], (call) => {
    if (call.request.method !== 'DELETE') return
    for (const chat of call.user.chats.values()) chat.favorite = false
  }),
  effect('a deleted chat can still be generated in', '4.3', ['V3-CHAT-11'], (call, chat) => {
    if (chat && call.request.method === 'DELETE') call.user.chats.set(chat.id, chat)
  }),
  effect('a deleted chat stays among the favorites', '4.3', ['V3-CHAT-11'], (call, chat) => {
    if (!chat || call.request.method !== 'DELETE' || !chat.favorite) return
    const ghost = createChat('v3', chat.id, chat.name, chat.origin)
    ghost.favorite = true
    call.user.chats.set(chat.id, ghost)
  }),
  {
    name: 'a refused generation leaves a chat',
    section: '4.3',
    breaks: ['V3-GEN-14'],
    unseen: strayChat,
    changes: { storesRefused: isGenerate },
  },
  {
    name: 'a refused v2 call leaves a chat',
    section: '9',
    breaks: ['VER-09', 'VER-06'],
    unseen: strayChat,
    changes: { storesRefused: (call) => call.route.includes('/api/v2') && call.chat !== undefined },
  },
  {
    name: 'a refused one-shot leaves a chat',
    section: '4.3',
    breaks: ['V3-ONE-09'],
    unseen: strayChat,
    changes: { storesRefused: isOneShot },
  },
  {
    name: 'a refused creation leaves a chat',
    section: '4.3',
    breaks: ['V3-CHAT-14'],
    unseen: strayChat,
    changes: { storesRefused: (call) => call.route === 'POST /api/v3/chat' },
  },
  {
    name: 'the list of chats leaves out favorites',
    section: '4.3',
    breaks: ['V3-CHAT-05', 'V3-CHAT-09', 'V3-FAV-01'],
    changes: { listsChat: (kind, chat) => kind === 'favorites' || !chat.favorite },
  },
  {
    name: 'the list of chats leaves out those without a message',
    section: '4.3',
    breaks: ['V3-CHAT-05'],
    changes: { listsChat: (kind, chat) => kind === 'favorites' || chat.rows.length > 0 },
  },
  {
    name: 'the list of chats leaves out those with a message',
    section: '4.3',
    breaks: ['V3-CHAT-05'],
    changes: { listsChat: (kind, chat) => kind === 'favorites' || chat.rows.length === 0 },
  },
  {
    name: 'a search for chats leaves out favorites',
    section: '4.3',
    breaks: ['V3-CHAT-06'],
    changes: {
      listsChat: (kind, chat, { query }) =>
        kind === 'favorites' || !chat.favorite || query.get('search') === null,
    },
  },
  {
    name: 'the list of files leaves out those of chats',
    section: '4.3',
    breaks: ['V3-ATT-06'],
    changes: {
      listsFile: (kind, file, { query }) =>
        kind !== 'files' || file.chat === undefined || query.get('chat_id') !== null,
    },
  },
  {
    name: 'the list of files leaves out those without a chat',
    section: '4.3',
    breaks: ['V3-ATT-06'],
    changes: { listsFile: (kind, file) => kind !== 'files' || file.chat !== undefined },
  },
  {
    name: 'a search for files within a chat finds those of others',
    section: '4.3',
    breaks: ['V3-ATT-07', 'V3-ATT-08'],
    changes: ignoresChatInSearch(),
  },
  {
    name: 'a document that was uploaded is never found',
    section: '4.3',
    breaks: ['KB-02'],
    changes: { storesUpload: (call) => !call.route.endsWith('/documents') },
  },
  {
    name: 'the search step comes after the answer',
    section: '4.4',
    breaks: ['RAG-01', 'RAG-04'],
    changes: {
      output: (items) => {
        const isSearch = ({ type }: { readonly type?: unknown }) => type === 'file_search_call'
        return [...items.filter((item) => !isSearch(item)), ...items.filter(isSearch)]
      },
      answer: (answer) => ({ ...answer, text: answer.text.replaceAll('VERMILION-77', 'some') }),
    },
  },
]

function ignoresChatInSearch(): Partial<Rules> {
  return {
    readsQuery: (call) => {
      const query = new URLSearchParams(call.query)
      if (isText(query.get('search'))) query.delete('chat_id')
      return query
    },
  }
}
