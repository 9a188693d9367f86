import { fiveHundred, leak, memory, rules, wrongType } from './requirement.ts'

/** Sections 2.3 and 4.2: a message is stored, then answered. */
export const v2 = rules({ section: '4.2', member: 'v2Chat', needs: ['V2-MSG-01'] })({
  'V2-MSG-01': {
    title: 'POST /message with chat_id, content and model_id MUST store a message and return it.',
    needs: ['V2-AUTH-05'],
  },
  'V2-MSG-02': {
    section: '2.3',
    title: 'The id of a message MUST be a UUID.',
    hint: 'The id is a number or a prefixed string; use a UUID.',
  },
  'V2-MSG-03': {
    section: '2.3',
    title: 'The chat_id of a message MUST be the UUID of the chat in the request.',
  },
  'V2-MSG-04': { section: '2.3', title: 'The model_id of a message MUST be a string.' },
  'V2-MSG-05': { section: '2.3', title: 'The role of a stored user message MUST be user.' },
  'V2-MSG-06': {
    section: '2.3',
    title: 'The content of a message MUST be the text that was sent.',
  },
  'V2-MSG-07': {
    section: '2.3',
    title: 'The created_at of a message MUST be an ISO 8601 timestamp in UTC.',
    hint: 'The timestamp is local time or a number; format it as ISO 8601 in UTC.',
  },
  'V2-MSG-08': {
    title: 'POST /message without chat_id, content or model_id MUST NOT succeed.',
    hint: 'Missing members get defaults; require chat_id, content and model_id.',
  },
  'V2-MSG-09': {
    title: 'POST /message with a listed field of the wrong type MUST NOT succeed.',
    hint: wrongType,
  },
  'V2-MSG-10': {
    title:
      'assistant_id MUST be accepted as a UUID and as the identifier of a prompt or of system instructions.',
    member: 'assistants',
  },
  'V2-MSG-11': { title: 'parent_id MUST chain a message to its parent.', hint: memory },
  'V2-MSG-12': {
    title: 'think MUST be accepted as a boolean, and MUST be optional.',
    capability: 'reasoning',
  },
  'V2-MSG-13': {
    title: 'rag MUST be accepted as a boolean and as the string agent.',
    capability: 'rag',
  },
  'V2-MSG-14': {
    title: 'attachments MUST be accepted as attachment objects that the service returned.',
    also: 'v3',
    capability: 'attachments',
    needs: ['V2-MSG-01', 'V3-ATT-01', 'V3-ATT-02', 'V3-ATT-04'],
  },
  'V2-MSG-15': {
    title: 'A refused v2 request SHOULD NOT be answered with a 5xx.',
    hint: fiveHundred,
  },
  'V2-GEN-01': {
    title: 'POST /message/generate MUST return one JSON object whose message has a content string.',
  },
  'V2-GEN-02': {
    title: 'POST /message/generate without chat_id, parent_id or model_id MUST NOT succeed.',
    needs: ['V2-GEN-01'],
  },
  'V2-GEN-03': {
    title: 'A v2 request with both exclude_tools and include_tools MUST NOT succeed.',
    needs: ['V2-GEN-01'],
  },
  'V2-GEN-04': {
    title: 'exclude_tools MUST be accepted, and a tool in it MUST NOT be used.',
    member: 'tools',
    needs: ['V2-GEN-01'],
  },
  'V2-GEN-05': {
    title: 'POST /message/generate with a listed field of the wrong type MUST NOT succeed.',
    needs: ['V2-GEN-01'],
    hint: wrongType,
  },
  'V2-CTX-01': {
    section: '1',
    title:
      'The chain of parent_id MUST give the model its context: the answer knows a fact from a parent message.',
    needs: ['V2-GEN-01'],
    hint: memory,
  },
  'V2-CTX-02': {
    section: '1',
    title: 'A new v2 chat MUST NOT know what was said in another chat.',
    needs: ['V2-GEN-01'],
    hint: leak,
  },
  'V2-RAG-01': {
    section: '4.4',
    title:
      'In v2, rag: true MUST add search results from the knowledge base of the assistant to the answer.',
    capability: 'rag',
    member: 'knowledge',
    needs: ['V2-GEN-01'],
  },
  'V2-RAG-02': {
    section: '4.4',
    title: 'In v2, without rag or with rag: false, the server MUST NOT search before the answer.',
    capability: 'rag',
    member: 'tools.search',
    needs: ['V2-GEN-01'],
  },
  'V2-RAG-03': {
    section: '4.4',
    title: 'In v2, with rag: agent, the server MUST NOT search before the answer.',
    capability: 'rag',
    member: 'tools.search',
    needs: ['V2-GEN-01'],
  },
  'V2-MODEL-01': {
    section: '2.1',
    title: 'Every accepted id of the main model MUST work as model_id on v2.',
    needs: ['V2-GEN-01'],
  },
  'V2-MODEL-02': {
    section: '2.1',
    title: 'The vision model MUST work as model_id on v2.',
    capability: 'images',
    needs: ['V2-GEN-01'],
  },
})
