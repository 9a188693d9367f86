import type { Exclusion, OpenQuestion } from './requirement.ts'

/** Points that the document leaves open, each after its surface and section. */
const points = {
  'OPEN-01':
    'v2 2.3 Which members besides message.content does the result of a v2 generation have?',
  'OPEN-02': 'v3 2.5 Which members besides its name does a chat record have?',
  'OPEN-03':
    'v3 2.6 Which members besides item_type, item_status and item does a history row have, and which besides cursor does pagination have?',
  'OPEN-04': 'v3 2.7 Which members do knowledge bases, documents and search results have?',
  'OPEN-05': 'v3 3 Which values of item_status occur?',
  'OPEN-06': 'v3 3 Which transitions of item_status occur?',
  'OPEN-07':
    'openai 4.1 What does a chunk contain besides choices[0].delta.content, and how does the stream end?',
  'OPEN-08': 'openai 4.1 What is the shape of the list of models?',
  'OPEN-09':
    'v3 4.3 Does GET /message accept query parameters other than chat_id, limit and cursor?',
  'OPEN-10': 'v3 4.3 Which fields of a generation are required?',
  'OPEN-11': 'v3 4.3 What is the structure of assistant in one-shot?',
  'OPEN-12': 'v3 4.3 Which body fields do POST /chat and PATCH /chat/{chat_id} accept?',
  'OPEN-13': 'v3 4.3 What are the shapes of the answers of the chat routes?',
  'OPEN-14':
    'v3 4.3 What are the shapes of the answers of the attachment routes, and which upload rules apply?',
  'OPEN-15': 'v3 4.3 Which paths and payloads exist below the knowledge prefix?',
  'OPEN-16': 'v3 5 Which status does a native request with a missing or wrong token get?',
  'OPEN-17': 'v3 6 Which other event names occur?',
  'OPEN-18': 'v3 7 Which status does a call on a chat of another version get?',
  'OPEN-19': 'openai 7 What is the shape of an error body?',
  'OPEN-20': 'v3 7 Which status does a generation without Idempotency-Key get?',
  'OPEN-21': 'v3 7 Which status does a generation with both tool lists get?',
  'OPEN-22': 'v3 7 Which status do invalid fields get on the native surfaces?',
  'OPEN-23': 'v3 8 What is the largest page size?',
  'OPEN-24': 'v3 8 What is the largest upload?',
  'OPEN-25': 'v3 8 What is the largest number of tokens?',
  'OPEN-26': 'openai 8 Which rate limits are announced?',
  'OPEN-27': 'openai 9 Does the compatible surface show a version?',
  'OPEN-28': 'v3 4.3 How is a repeat with the same Idempotency-Key answered?',
  'OPEN-29': 'v3 4.3 How is a repeat answered while the first request is still running?',
  'OPEN-30': 'v3 6 Does sequence_number start at 0 and increase by one?',
  'OPEN-31': 'v3 6 Does a response contain reasoning items without think?',
  'OPEN-32': 'openai 2.1 How is an unknown model answered?',
  'OPEN-33': 'openai 4.1 Which model name is echoed for an alias?',
  'OPEN-34': 'v3 4.3 In which order does the history list its rows?',
  'OPEN-35': 'v2 5 How is a token for the native surfaces obtained?',
  'OPEN-36': 'v3 4.3 Does a chat remember earlier runs without parent_id?',
  'OPEN-37': 'v3 4.3 How does one-shot answer a request with both tool lists?',
  'OPEN-38':
    'openai 4.1 How are empty messages, a negative max_tokens and other out-of-range values answered?',
  'OPEN-39': 'v2 7 What is the shape of error bodies on the native surfaces?',
  'OPEN-40': 'v3 4.3 How is the history of a chat that does not exist answered?',
  'OPEN-41':
    'v3 4.3 How are a limit that is not a positive integer and an unknown cursor answered?',
  'OPEN-42': 'v3 4.3 How is a repeat with the same Idempotency-Key but a different body answered?',
  'OPEN-43': 'v2 4.2 How are v2 chats created?',
} as const

/** Open questions: a run records the choice of the target and judges nothing. */
export const openQuestions = Object.fromEntries(
  Object.entries(points).map(([id, point]) => {
    const [surface, section, ...words] = point.split(' ')
    return [id, { surface, section, question: words.join(' ') }]
  }),
) as Readonly<Record<keyof typeof points, OpenQuestion>>

/** Sentences of the document that cannot be tested over HTTP, each after its section and with the reason. */
const reasons = {
  'X-01': [
    '1 The service generates text for chat use with language models.',
    'A description of purpose: whether a language model generated text is not visible on the wire. That text is generated at all is V3-GEN-02, V2-GEN-01 and OAI-CHAT-07.',
  ],
  'X-02': [
    '5 A key for the compatible surface is created in the account of the user, after registration.',
    'Happens on a web page outside the three surfaces.',
  ],
  'X-03': [
    '7 429 means too many requests.',
    'The thresholds are not specified, so no reasonable number of requests is certain to reach them. If it occurs, chatgen obeys and records it.',
  ],
  'X-04': ['7 500 means an internal server error.', 'No valid request provokes it on purpose.'],
  'X-05': [
    '7 503 means that the service is unavailable.',
    'No valid request provokes it on purpose. If it occurs, chatgen obeys and records it.',
  ],
  'X-06': [
    '2.1 The size and purpose of each listed model.',
    'A description; neither the number of parameters nor a purpose is visible on the wire.',
  ],
  'X-07': [
    '9 The native API is under development and may change.',
    'An announcement about the future, not behavior.',
  ],
  'X-08': [
    '4.2 include_tools of v2 is announced as under development.',
    'A server may accept or refuse it; both lists at once are V2-GEN-03.',
  ],
  'X-09': [
    '8 Rate limiting exists.',
    'Its thresholds are not specified, so its existence cannot be tested (see X-03).',
  ],
  'X-10': [
    '6 The compatible surface has no other events or callbacks.',
    'What is not described is not forbidden; unknown blocks of a stream are observed.',
  ],
  'X-11': [
    '4 Requests with a body send Content-Type: application/json.',
    'An obligation of the client. chatgen meets it in every request.',
  ],
  'X-12': [
    '4.3 An Idempotency-Key is unique per user turn.',
    'An obligation of the client. chatgen meets it in every request except repeats.',
  ],
  'X-13': [
    '2.1 An introductory sentence.',
    'Specifies nothing itself; the sentences that it introduces have requirements of their own.',
  ],
  'X-14': [
    '4.2 think enables reasoning for a v2 reply and is off by default.',
    'Only message.content of a v2 reply is specified, and it need not contain the reasoning. Acceptance of the field is V2-MSG-12.',
  ],
} as const

export const exclusions = Object.fromEntries(
  Object.entries(reasons).map(([id, [sentence, reason]]) => {
    const [section = '', ...words] = sentence.split(' ')
    return [id, { section, title: words.join(' '), reason }]
  }),
) as Readonly<Record<keyof typeof reasons, Exclusion>>
