import { fiveHundred, leak, memory, type Requirement, wrongType } from './requirement.ts'

const fields = { level: 'required', surface: 'v2', section: '2.3' } as const
const store = { level: 'required', surface: 'v2', section: '4.2' } as const
const courtesy = { level: 'expected', surface: 'v2', section: '4.2' } as const

/** Sections 2.3 and 4.2: a message is stored, then answered. */
export const v2 = {
  'V2-MSG-01': {
    ...store,
    title: 'POST /message with chat_id, content and model_id MUST store a message and return it.',
    member: 'v2Chat',
    needs: ['V2-AUTH-05'],
  },
  'V2-MSG-02': {
    ...fields,
    title: 'The id of a message MUST be a UUID.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
    hint: 'The id is a number or a prefixed string; use a UUID.',
  },
  'V2-MSG-03': {
    ...fields,
    title: 'The chat_id of a message MUST be the UUID of the chat in the request.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-04': {
    ...fields,
    title: 'The model_id of a message MUST be a string.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-05': {
    ...fields,
    title: 'The role of a stored user message MUST be user.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-06': {
    ...fields,
    title: 'The content of a message MUST be the text that was sent.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-07': {
    ...fields,
    title: 'The created_at of a message MUST be an ISO 8601 timestamp in UTC.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
    hint: 'The timestamp is local time or a number; format it as ISO 8601 in UTC.',
  },
  'V2-MSG-08': {
    ...store,
    title: 'POST /message without chat_id, content or model_id MUST NOT succeed.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
    hint: 'Missing members get defaults; require chat_id, content and model_id.',
  },
  'V2-MSG-09': {
    ...store,
    title: 'POST /message with a listed field of the wrong type MUST NOT succeed.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
    hint: wrongType,
  },
  'V2-MSG-10': {
    ...store,
    title:
      'assistant_id MUST be accepted as a UUID and as the identifier of a prompt or of system instructions.',
    member: 'assistants',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-11': {
    ...store,
    title: 'parent_id MUST chain a message to its parent.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
    hint: memory,
  },
  'V2-MSG-12': {
    ...store,
    title: 'think MUST be accepted as a boolean, and MUST be optional.',
    member: 'v2Chat',
    capability: 'reasoning',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-13': {
    ...store,
    title: 'rag MUST be accepted as a boolean and as the string agent.',
    member: 'v2Chat',
    capability: 'rag',
    needs: ['V2-MSG-01'],
  },
  'V2-MSG-14': {
    ...store,
    also: 'v3',
    title: 'attachments MUST be accepted as attachment objects that the service returned.',
    member: 'v2Chat',
    capability: 'attachments',
    needs: ['V2-MSG-01', 'V3-ATT-01', 'V3-ATT-02', 'V3-ATT-04'],
  },
  'V2-MSG-15': {
    ...courtesy,
    title: 'A refused v2 request SHOULD NOT be answered with a 5xx.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
    hint: fiveHundred,
  },
  'V2-GEN-01': {
    ...store,
    title: 'POST /message/generate MUST return one JSON object whose message has a content string.',
    member: 'v2Chat',
    needs: ['V2-MSG-01'],
  },
  'V2-GEN-02': {
    ...store,
    title: 'POST /message/generate without chat_id, parent_id or model_id MUST NOT succeed.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
  },
  'V2-GEN-03': {
    ...store,
    title: 'A v2 request with both exclude_tools and include_tools MUST NOT succeed.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
  },
  'V2-GEN-04': {
    ...store,
    title: 'exclude_tools MUST be accepted, and a tool in it MUST NOT be used.',
    member: 'tools',
    needs: ['V2-GEN-01'],
  },
  'V2-GEN-05': {
    ...store,
    title: 'POST /message/generate with a listed field of the wrong type MUST NOT succeed.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
    hint: wrongType,
  },
  'V2-CTX-01': {
    ...store,
    section: '1',
    title:
      'The chain of parent_id MUST give the model its context: the answer knows a fact from a parent message.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
    hint: memory,
  },
  'V2-CTX-02': {
    ...store,
    section: '1',
    title: 'A new v2 chat MUST NOT know what was said in another chat.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
    hint: leak,
  },
  'V2-RAG-01': {
    ...store,
    section: '4.4',
    title:
      'In v2, rag: true MUST add search results from the knowledge base of the assistant to the answer.',
    capability: 'rag',
    member: 'knowledge',
    needs: ['V2-GEN-01'],
  },
  'V2-RAG-02': {
    ...store,
    section: '4.4',
    title: 'In v2, without rag or with rag: false, the server MUST NOT search before the answer.',
    capability: 'rag',
    member: 'tools.search',
    needs: ['V2-GEN-01'],
  },
  'V2-RAG-03': {
    ...store,
    section: '4.4',
    title: 'In v2, with rag: agent, the server MUST NOT search before the answer.',
    capability: 'rag',
    member: 'tools.search',
    needs: ['V2-GEN-01'],
  },
  'V2-MODEL-01': {
    ...store,
    section: '2.1',
    title: 'Every accepted id of the main model MUST work as model_id on v2.',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
  },
  'V2-MODEL-02': {
    ...store,
    section: '2.1',
    title: 'The vision model MUST work as model_id on v2.',
    capability: 'images',
    member: 'v2Chat',
    needs: ['V2-GEN-01'],
  },
} as const satisfies Record<string, Requirement>
