import { cursor, rules, wrongType } from '../requirement.ts'

/** Sections 2.5 and 4.3: chats, their list, their name and the favorites. */
export const v3Chats = rules({ section: '4.3', needs: ['V3-CHAT-03'] })({
  'V3-CHAT-01':
    'POST /chat with a name MUST create a chat and return its id, a UUID. (needs V3-AUTH-05)',
  'V3-CHAT-02':
    '2.5 A chat MUST have the name that it was created with. (needs V3-CHAT-01, V3-CHAT-04)',
  'V3-CHAT-03':
    '9 A chat created by POST /api/v3/chat MUST be a v3 chat: v3 history and generation accept it. (needs V3-CHAT-01)',
  'V3-CHAT-04': 'GET /chat/{chat_id} MUST return that chat.',
  'V3-CHAT-05': 'GET /chat MUST list a created chat.',
  'V3-CHAT-06': [
    'GET /chat with search MUST find a chat whose name begins with the word. (needs V3-CHAT-02, V3-CHAT-05, V3-CHAT-07)',
    'Search matches only whole names or is case-sensitive; match the beginning of words, regardless of case.',
  ],
  'V3-CHAT-07': [
    'GET /chat MUST honor limit: a page lists at most that many chats. (needs V3-CHAT-05)',
    'limit is ignored; cap the page size at it.',
  ],
  'V3-CHAT-08': [
    'GET /chat MUST honor cursor: following it lists every chat. (needs V3-CHAT-05)',
    cursor,
  ],
  'V3-CHAT-09':
    'GET /chat with exclude_favorites MUST omit favorites and keep the other chats. (needs V3-CHAT-05, V3-FAV-01)',
  'V3-CHAT-10': 'PATCH /chat/{chat_id} MUST update the chat. (needs V3-CHAT-04)',
  'V3-CHAT-11': [
    'After DELETE /chat/{chat_id} the chat MUST NOT be listed or readable, and its history MUST be gone. (needs V3-CHAT-04, V3-CHAT-05)',
    'The chat is only soft-deleted; exclude it from lists, reads and history.',
  ],
  'V3-CHAT-12': 'POST /chat/{chat_id}/generate-name MUST generate a title. (needs V3-CHAT-01)',
  'V3-CHAT-13': [
    'Changing or deleting one chat MUST NOT change other chats. (needs V3-CHAT-02, V3-CHAT-04)',
    'The update lacks a condition on the chat id, or chats share an object; limit it to the one chat.',
  ],
  'V3-CHAT-14': [
    'POST /chat with a name that is not a string MUST NOT succeed. (needs V3-CHAT-01)',
    wrongType,
  ],
  'V3-FAV-01': 'POST /chat/{chat_id}/favorite MUST add the chat to GET /chat/favorite.',
  'V3-FAV-02':
    'DELETE /chat/{chat_id}/favorite MUST remove the chat from GET /chat/favorite and keep the chat. (needs V3-CHAT-04, V3-FAV-01)',
  'V3-FAV-03': 'GET /chat/favorite MUST NOT list a chat that is not a favorite. (needs V3-FAV-01)',
})
