import type { OpenQuestion } from './row.ts'

const on = (surface: OpenQuestion['surface'], section: string, question: string): OpenQuestion => ({
  surface,
  section,
  question,
})

/** What the document leaves open: a run records what the target does, and judges nothing. */
export const openQuestions = {
  'OPEN-01': on(
    'v2',
    '2.3',
    'Which members has the result of a v2 generation beside message.content?',
  ),
  'OPEN-02': on('v3', '2.5', 'Which members has a chat record beside its name?'),
  'OPEN-03': on(
    'v3',
    '2.6',
    'Which members has a history row beside item_type, item_status and item, and which has pagination beside cursor?',
  ),
  'OPEN-04': on('v3', '2.7', 'Which members have knowledge bases, documents and search results?'),
  'OPEN-05': on('v3', '3', 'Which values of item_status occur?'),
  'OPEN-06': on('v3', '3', 'Which transitions of item_status occur?'),
  'OPEN-07': on(
    'openai',
    '4.1',
    'What is in a chunk beside choices[0].delta.content, and how does the stream end?',
  ),
  'OPEN-08': on('openai', '4.1', 'What shape has the list of models?'),
  'OPEN-09': on(
    'v3',
    '4.3',
    'Does GET /message take other query parameters than chat_id, limit and cursor?',
  ),
  'OPEN-10': on('v3', '4.3', 'Which fields of a generation are required?'),
  'OPEN-11': on('v3', '4.3', 'What is the structure of assistant in one-shot?'),
  'OPEN-12': on(
    'v3',
    '4.3',
    'Which body fields of POST /chat, and which body of PATCH /chat/{chat_id}, are understood?',
  ),
  'OPEN-13': on('v3', '4.3', 'What shapes have the answers of the chat routes?'),
  'OPEN-14': on(
    'v3',
    '4.3',
    'What shapes have the answers of the attachment routes, and which upload rules apply?',
  ),
  'OPEN-15': on('v3', '4.3', 'Which paths and payloads lie below the knowledge prefix?'),
  'OPEN-16': on('v3', '5', 'Which status has a native request with a missing or wrong token?'),
  'OPEN-17': on('v3', '6', 'Which further event names occur?'),
  'OPEN-18': on('v3', '7', 'Which status has a call on a chat of another version?'),
  'OPEN-19': on('openai', '7', 'What shape has an error body?'),
  'OPEN-20': on('v3', '7', 'Which status has a generation without Idempotency-Key?'),
  'OPEN-21': on('v3', '7', 'Which status has a generation with both tool lists?'),
  'OPEN-22': on('v3', '7', 'Which status have invalid fields on the native surfaces?'),
  'OPEN-23': on('v3', '8', 'What is the largest page size?'),
  'OPEN-24': on('v3', '8', 'What is the largest upload?'),
  'OPEN-25': on('v3', '8', 'What is the largest number of tokens?'),
  'OPEN-26': on('openai', '8', 'Which rate limits are announced?'),
  'OPEN-27': on('openai', '9', 'Does the compatible surface show a version?'),
  'OPEN-28': on('v3', '4.3', 'How is a repeat with the same Idempotency-Key answered?'),
  'OPEN-29': on('v3', '4.3', 'How is a repeat answered while the first request is still running?'),
  'OPEN-30': on('v3', '6', 'Does sequence_number start at 0 and rise by one?'),
  'OPEN-31': on('v3', '6', 'Does a response hold reasoning items without think?'),
  'OPEN-32': on('openai', '2.1', 'How is an unknown model answered?'),
  'OPEN-33': on('openai', '4.1', 'Which model name is echoed for an alias?'),
  'OPEN-34': on('v3', '4.3', 'In which order does the history list its rows?'),
  'OPEN-35': on('v2', '5', 'How is a token for the native surfaces obtained?'),
  'OPEN-36': on('v3', '4.3', 'Does a chat remember earlier runs without parent_id?'),
  'OPEN-37': on('v3', '4.3', 'How does one-shot answer both tool lists?'),
  'OPEN-38': on(
    'openai',
    '4.1',
    'How are empty messages, a negative max_tokens and other doubtful values answered?',
  ),
  'OPEN-39': on('v2', '7', 'What shape have error bodies on the native surfaces?'),
  'OPEN-40': on('v3', '4.3', 'How is the history of a chat that does not exist answered?'),
} as const satisfies Record<string, OpenQuestion>
