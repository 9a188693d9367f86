import { fiveHundred, leak, memory, rules, wrongType } from './requirement.ts'

/** Sections 2.3 and 4.2: a message is stored, then answered. */
export const v2 = rules({ section: '4.2', member: 'v2Chat', needs: ['V2-MSG-01'] })({
  'V2-MSG-01':
    'POST /message with chat_id, content and model_id MUST store a message and return it. (needs V2-AUTH-05)',
  'V2-MSG-02': [
    '2.3 The id of a message MUST be a UUID.',
    'The id is a number or a prefixed string; use a UUID.',
  ],
  'V2-MSG-03': '2.3 The chat_id of a message MUST be the UUID of the chat in the request.',
  'V2-MSG-04': '2.3 The model_id of a message MUST be a string.',
  'V2-MSG-05': '2.3 The role of a stored user message MUST be user.',
  'V2-MSG-06': '2.3 The content of a message MUST be the text that was sent.',
  'V2-MSG-07': [
    '2.3 The created_at of a message MUST be an ISO 8601 timestamp in UTC.',
    'The timestamp is local time or a number; format it as ISO 8601 in UTC.',
  ],
  'V2-MSG-08': [
    'POST /message without chat_id, content or model_id MUST NOT succeed.',
    'Missing members get defaults; require chat_id, content and model_id.',
  ],
  'V2-MSG-09': ['POST /message with a listed field of the wrong type MUST NOT succeed.', wrongType],
  'V2-MSG-10':
    'assistant_id MUST be accepted as a UUID and as the identifier of a prompt or of system instructions. (member assistants)',
  'V2-MSG-11': ['parent_id MUST chain a message to its parent.', memory],
  'V2-MSG-12': 'think MUST be accepted as a boolean, and MUST be optional. (capability reasoning)',
  'V2-MSG-13': 'rag MUST be accepted as a boolean and as the string agent. (capability rag)',
  'V2-MSG-14':
    'attachments MUST be accepted as attachment objects that the service returned. (also v3, capability attachments, needs V2-MSG-01, V3-ATT-01, V3-ATT-02, V3-ATT-04)',
  'V2-MSG-15': ['A refused v2 request SHOULD NOT be answered with a 5xx.', fiveHundred],
  'V2-GEN-01':
    'POST /message/generate MUST return one JSON object whose message has a content string.',
  'V2-GEN-02':
    'POST /message/generate without chat_id, parent_id or model_id MUST NOT succeed. (needs V2-GEN-01)',
  'V2-GEN-03':
    'A v2 request with both exclude_tools and include_tools MUST NOT succeed. (needs V2-GEN-01)',
  'V2-GEN-04':
    'exclude_tools MUST be accepted, and a tool in it MUST NOT be used. (member tools, needs V2-GEN-01)',
  'V2-GEN-05': [
    'POST /message/generate with a listed field of the wrong type MUST NOT succeed. (needs V2-GEN-01)',
    wrongType,
  ],
  'V2-CTX-01': [
    '1 The chain of parent_id MUST give the model its context: the answer knows a fact from a parent message. (needs V2-GEN-01)',
    memory,
  ],
  'V2-CTX-02': [
    '1 A new v2 chat MUST NOT know what was said in another chat. (needs V2-GEN-01)',
    leak,
  ],
  'V2-RAG-01':
    '4.4 In v2, rag: true MUST add search results from the knowledge base of the assistant to the answer. (capability rag, member knowledge, needs V2-GEN-01)',
  'V2-RAG-02':
    '4.4 In v2, without rag or with rag: false, the server MUST NOT search before the answer. (capability rag, member tools.search, needs V2-GEN-01)',
  'V2-RAG-03':
    '4.4 In v2, with rag: agent, the server MUST NOT search before the answer. (capability rag, member tools.search, needs V2-GEN-01)',
  'V2-MODEL-01':
    '2.1 Every accepted id of the main model MUST work as model_id on v2. (needs V2-GEN-01)',
  'V2-MODEL-02':
    '2.1 The vision model MUST work as model_id on v2. (capability images, needs V2-GEN-01)',
})
