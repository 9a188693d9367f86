import { leak, memory, rules, wrongType } from '../requirement.ts'

/** Section 4.3: POST /message/one-shot, an answer without a stored chat. */
export const v3OneShot = rules({ section: '4.3', needs: ['V3-ONE-01', 'V3-ONE-03'] })({
  'V3-ONE-01':
    'POST /message/one-shot with stream: false MUST return one JSON body, the final response object. (needs V3-AUTH-05)',
  'V3-ONE-02':
    'POST /message/one-shot with stream: true MUST return a stream of events. (needs V3-ONE-01, V3-ONE-03, V3-SSE-01, V3-SSE-02, V3-SSE-03, V3-SSE-05, V3-SSE-08, V3-SSE-09)',
  'V3-ONE-03': [
    'One-shot MUST NOT require an Idempotency-Key. (needs V3-ONE-01)',
    'One-shot shares the check of generate; do not require the header here.',
  ],
  'V3-ONE-04':
    '9 The deprecated content MUST be accepted in place of input. (needs V3-ONE-01, V3-ONE-03, V3-ONE-02)',
  'V3-ONE-05': [
    'runs MUST be accepted as accumulated history, and the answer MUST know it. (needs V3-ONE-01, V3-ONE-03, V3-SSE-17)',
    memory,
  ],
  'V3-ONE-06':
    'assistant_id: null MUST be accepted together with the scenario in assistant (the structure of assistant is open, so the refusal of a guessed one is only observed).',
  'V3-ONE-07':
    'assistant_id: searcher MUST be accepted, with an optional kb_id, and MUST answer from the knowledge base. (capability knowledge, member knowledge)',
  'V3-ONE-08':
    'assistant_id of a one-shot MUST accept an assistant of the catalog. (member assistants)',
  'V3-ONE-09': [
    'One-shot MUST NOT store a chat. (needs V3-ONE-01, V3-ONE-03, V3-CHAT-05)',
    'One-shot creates a chat internally that is listed; do not store one.',
  ],
  'V3-ONE-10':
    'input of one-shot MUST be accepted as an array of items. (needs V3-ONE-01, V3-ONE-03, V3-MODEL-02)',
  'V3-ONE-11': ['One-shot SHOULD NOT know what was said in another request.', leak],
  'V3-ONE-12': ['A one-shot with a listed field of the wrong type MUST NOT succeed.', wrongType],
})
