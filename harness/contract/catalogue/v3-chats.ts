import type { Requirement } from './row.ts'

const stated = { level: 'required', surface: 'v3', section: '4.3' } as const

/** Sections 2.5 and 4.3: chats, their list, their name and the favorites. */
export const v3Chats = {
  'V3-CHAT-01': {
    ...stated,
    title: 'POST /chat with a name creates a chat whose id, a UUID, is in the answer.',
    needs: ['V3-AUTH-05'],
  },
  'V3-CHAT-02': {
    ...stated,
    section: '2.5',
    title: 'A chat has the name that it was created with.',
    needs: ['V3-CHAT-01', 'V3-CHAT-04'],
  },
  'V3-CHAT-03': {
    ...stated,
    section: '9',
    title: 'A chat made by POST /api/v3/chat is v3: v3 history and generation take it.',
    needs: ['V3-CHAT-01'],
  },
  'V3-CHAT-04': {
    ...stated,
    title: 'GET /chat/{chat_id} answers with that chat.',
    needs: ['V3-CHAT-03'],
  },
  'V3-CHAT-05': {
    ...stated,
    title: 'GET /chat lists a chat that was created.',
    needs: ['V3-CHAT-03'],
  },
  'V3-CHAT-06': {
    ...stated,
    title: 'GET /chat with search finds the chat whose name begins with the word.',
    needs: ['V3-CHAT-02', 'V3-CHAT-05', 'V3-CHAT-07'],
  },
  'V3-CHAT-07': {
    ...stated,
    title: 'GET /chat takes a limit: a page lists at most that many chats.',
    needs: ['V3-CHAT-05'],
  },
  'V3-CHAT-08': {
    ...stated,
    title: 'GET /chat takes a cursor: following it lists every chat.',
    needs: ['V3-CHAT-05'],
  },
  'V3-CHAT-09': {
    ...stated,
    title: 'GET /chat with exclude_favorites leaves favorites out and keeps the others.',
    needs: ['V3-CHAT-05', 'V3-FAV-01'],
  },
  'V3-CHAT-10': {
    ...stated,
    title: 'PATCH /chat/{chat_id} updates the chat.',
    needs: ['V3-CHAT-04'],
  },
  'V3-CHAT-11': {
    ...stated,
    title:
      'After DELETE /chat/{chat_id} the chat is neither listed nor read, and its history is gone.',
    needs: ['V3-CHAT-04', 'V3-CHAT-05'],
  },
  'V3-CHAT-12': {
    ...stated,
    title: 'POST /chat/{chat_id}/generate-name generates a title.',
    needs: ['V3-CHAT-01'],
  },
  'V3-CHAT-13': {
    ...stated,
    title: 'A change or deletion of one chat leaves other chats as they were.',
    needs: ['V3-CHAT-02', 'V3-CHAT-04'],
  },
  'V3-CHAT-14': {
    ...stated,
    title: 'POST /chat with a name that is no string does not succeed.',
    needs: ['V3-CHAT-01'],
  },
  'V3-FAV-01': {
    ...stated,
    title: 'POST /chat/{chat_id}/favorite adds the chat to GET /chat/favorite.',
    needs: ['V3-CHAT-03'],
  },
  'V3-FAV-02': {
    ...stated,
    title:
      'DELETE /chat/{chat_id}/favorite removes the chat from GET /chat/favorite and keeps the chat.',
    needs: ['V3-CHAT-04', 'V3-FAV-01'],
  },
  'V3-FAV-03': {
    ...stated,
    title: 'GET /chat/favorite lists no chat that is not a favorite.',
    needs: ['V3-FAV-01'],
  },
} as const satisfies Record<string, Requirement>
