import type { Requirement } from './row.ts'

const fields = { level: 'required', surface: 'v2', section: '2.3' } as const
const store = { level: 'required', surface: 'v2', section: '4.2' } as const
const courtesy = { level: 'expected', surface: 'v2', section: '4.2' } as const

/** Sections 2.3 and 4.2: a message is stored, then answered. */
export const v2 = {
  'V2-MSG-01': {
    ...store,
    title: 'POST /message with chat_id, content and model_id stores a message and answers with it.',
    member: 'v2Chat',
    needs: ['V2-AUTH-05'],
  },
  'V2-MSG-02': {
    ...fields,
    title: 'The id of a message is a UUID.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-03': {
    ...fields,
    title: 'The chat_id of a message is the UUID of the chat that was named.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-04': {
    ...fields,
    title: 'The model_id of a message is a string.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-05': {
    ...fields,
    title: 'The role of a stored user message is user.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-06': {
    ...fields,
    title: 'The content of a message is the text that was sent.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-07': {
    ...fields,
    title: 'The created_at of a message is an ISO 8601 timestamp in UTC.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-08': {
    ...store,
    title: 'POST /message without chat_id, content or model_id does not succeed.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-09': {
    ...store,
    title: 'A listed field of POST /message with another type than listed does not succeed.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-10': {
    ...store,
    title: 'assistant_id may be a UUID or the identifier of a prompt or of system instructions.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-11': {
    ...store,
    title: 'parent_id chains a message to its parent.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-12': {
    ...store,
    title: 'think is a boolean that may be sent or left out.',
    member: 'v2Chat',
    capability: 'reasoning',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-13': {
    ...store,
    title: 'rag may be a boolean or agent.',
    member: 'v2Chat',
    capability: 'rag',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-14': {
    ...store,
    also: 'v3',
    title: 'attachments takes attachment objects as the service returned them.',
    member: 'v2Chat',
    capability: 'attachments',
    needs: ['V2-MSG-01', 'V3-ATT-01', 'V3-ATT-02', 'V3-ATT-04'],
  },
  'V2-MSG-15': {
    ...courtesy,
    title: 'A refused v2 request is not answered with a 5xx.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-GEN-01': {
    ...store,
    title:
      'POST /message/generate answers with one JSON object whose message has a content string.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-GEN-02': {
    ...store,
    title: 'POST /message/generate without chat_id, parent_id or model_id does not succeed.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
  },
  'V2-GEN-03': {
    ...store,
    title: 'exclude_tools and include_tools in one v2 request do not succeed.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
  },
  'V2-GEN-04': {
    ...store,
    title: 'exclude_tools is accepted, and a tool in it is not used.',
    member: 'tools',
    needs: ['V2-GEN-01'],
  },
  'V2-GEN-05': {
    ...store,
    title:
      'A listed field of POST /message/generate with another type than listed does not succeed.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
  },
  'V2-CTX-01': {
    ...store,
    section: '1',
    title:
      'The chain of parent_id gives the model its context: a fact told in a parent message is known.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
  },
  'V2-CTX-02': {
    ...store,
    section: '1',
    title: 'A fresh v2 chat does not know what was told in another chat.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
  },
  'V2-RAG-01': {
    ...store,
    section: '4.4',
    title:
      'In v2, rag: true brings findings of the knowledge base of the assistant into the answer.',
    capability: 'rag',
    member: 'knowledge',
    needs: ['V2-GEN-01'],
  },
  'V2-RAG-02': {
    ...store,
    section: '4.4',
    title: 'In v2, rag: false, and no rag at all, make no search before the answer.',
    capability: 'rag',
    member: 'tools.search',
    needs: ['V2-GEN-01'],
  },
  'V2-RAG-03': {
    ...store,
    section: '4.4',
    title: 'In v2, rag: agent makes no search before the answer.',
    capability: 'rag',
    member: 'tools.search',
    needs: ['V2-GEN-01'],
  },
  'V2-MODEL-01': {
    ...store,
    section: '2.1',
    title: 'Every accepted id of the main model works as model_id on v2.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
  },
  'V2-MODEL-02': {
    ...store,
    section: '2.1',
    title: 'The vision model works as model_id on v2.',
    capability: 'images',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
  },
} as const satisfies Record<string, Requirement>
