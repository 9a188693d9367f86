import { fiveHundred, leak, memory, rules, sameResponse, usage, wrongType } from '../requirement.ts'

/** Section 4.3: POST /message/generate, its fields, its two forms and its idempotency key. */
export const v3Generate = rules({ section: '4.3', needs: ['V3-GEN-01'] })({
  'V3-GEN-01':
    'With stream: false the reply MUST be one JSON body, the final response object. (needs V3-CHAT-03)',
  'V3-GEN-02':
    '2.6 The output of a final response MUST be an array of typed items that contain the answer.',
  'V3-GEN-03': [
    'Members that a response has in both forms, streamed and not, MUST have the same types in both. (R22, needs V3-GEN-02, V3-SSE-08, V3-SSE-09)',
    sameResponse,
  ],
  'V3-GEN-04': [
    'A response SHOULD have the same members in both forms. (R22, needs V3-GEN-02, V3-SSE-08, V3-SSE-09)',
    sameResponse,
  ],
  'V3-GEN-05': 'input MUST be accepted as text.',
  'V3-GEN-06': 'input MUST be accepted as an array of Responses-style items.',
  'V3-GEN-07':
    'input MUST be accepted with an image. (capability images, needs V3-GEN-06, V3-MODEL-02)',
  'V3-GEN-08':
    'input MUST be accepted with a video. (capability video, needs V3-GEN-06, V3-MODEL-02)',
  'V3-GEN-09':
    'A generation MUST accept max_tokens, temperature, top_p and presence_penalty. (needs V3-GEN-11)',
  'V3-GEN-10':
    'The usage of a response SHOULD NOT count more output tokens than max_tokens. (needs V3-GEN-09)',
  'V3-GEN-11':
    'parent_id MUST be optional, and MUST be accepted as the id of the previous run. (needs V3-GEN-05)',
  'V3-GEN-12': [
    'The usage of a response SHOULD add up: total = input + output, cached ≤ input, reasoning ≤ output. (R18)',
    usage,
  ],
  'V3-GEN-13': ['A refused generation SHOULD NOT be answered with a 5xx.', fiveHundred],
  'V3-GEN-14': [
    'A refused generation SHOULD NOT leave a step in the history. (needs V3-GEN-01, V3-HIST-07)',
    'The step is stored before the request is validated; validate first.',
  ],
  'V3-GEN-15': [
    'Two responses SHOULD have different ids. (needs V3-GEN-01, V3-IDEM-07)',
    'The id is a constant; generate one for each response.',
  ],
  'V3-GEN-16': [
    'The answer SHOULD use every item of an input array, e.g. a fact stated in any of them. (needs V3-GEN-02, V3-GEN-06, V3-HIST-07)',
    'Only the last item of input reaches the model; pass all items in order.',
  ],
  'V3-GEN-17': ['A generation with a listed field of the wrong type MUST NOT succeed.', wrongType],
  'V3-MODEL-01':
    '2.1 Every accepted id of the main model MUST work as model_id on v3. (needs V3-GEN-05, V3-GEN-11)',
  'V3-MODEL-02':
    '2.1 The vision model MUST work as model_id on v3. (capability images, needs V3-GEN-05)',
  'V3-ASST-01':
    'A chat generation MUST accept an assistant of the catalog as assistant_id. (member assistants, needs V3-GEN-05, V3-SSE-02, V3-SSE-08, V3-SSE-09)',
  'V3-TOOLS-01': 'A generation with both include_tools and exclude_tools MUST NOT succeed.',
  'V3-TOOLS-02': 'A tool in exclude_tools MUST NOT be used. (member tools)',
  'V3-TOOLS-03': 'With include_tools, a tool outside the list MUST NOT be used. (member tools)',
  'V3-CTX-01': [
    '1 The history of a v3 chat MUST be a chain of runs: a run knows a fact from its parent run. (needs V3-GEN-02, V3-SSE-17)',
    memory,
  ],
  'V3-CTX-02': [
    '1 A new chat MUST NOT know what was said in another chat. (needs V3-GEN-02)',
    leak,
  ],
  'V3-IDEM-01': [
    'A generation without Idempotency-Key MUST NOT succeed.',
    'The header is optional in the handler; reject a generation without it before anything is stored.',
  ],
  'V3-IDEM-02':
    'A repeat with the same Idempotency-Key MUST NOT add a second step (JSON body). (needs V3-GEN-01, V3-HIST-16)',
  'V3-IDEM-03':
    'A repeat with the same Idempotency-Key MUST NOT add a second step (stream). (needs V3-SSE-01, V3-HIST-16)',
  'V3-IDEM-04':
    'A repeat while the first request is still running MUST NOT add a second step. (needs V3-SSE-01, V3-IDEM-03)',
  'V3-IDEM-05':
    'Concurrent requests with one Idempotency-Key MUST create one step. (needs V3-GEN-01, V3-IDEM-02)',
  'V3-IDEM-06': [
    'Any string MUST be accepted as Idempotency-Key. (needs V3-GEN-11)',
    'The key is parsed, for example as a UUID; accept any string.',
  ],
  'V3-IDEM-07': [
    'A different Idempotency-Key MUST create another step, even for an identical request. (needs V3-GEN-01, V3-GEN-11, V3-HIST-16)',
    'Requests are also deduplicated by their body; use the key alone.',
  ],
  'V3-IDEM-08': [
    'A repeat SHOULD NOT be answered with a 5xx.',
    'A repeat hits a unique constraint; look the key up first and answer from the stored run.',
  ],
  'V3-THINK-01': [
    'With think, reasoning MUST arrive in the stream separately from the answer. (capability reasoning, needs V3-SSE-02, V3-SSE-03)',
    'think is not passed to the model, or reasoning is mixed into the text; send it as reasoning_text events.',
  ],
  'V3-THINK-02': [
    'The reasoning SHOULD NOT be repeated in the text of the answer. (capability reasoning, needs V3-THINK-01, V3-SSE-17)',
    'Reasoning is also appended to the text; keep the two apart.',
  ],
})

/** Section 4.3: POST /message/one-shot, an answer without a stored chat. */
export const v3OneShot = rules({ section: '4.3', needs: ['V3-ONE-01', 'V3-ONE-03'] })({
  'V3-ONE-01':
    'POST /message/one-shot with stream: false MUST return one JSON body, the final response object. (needs V3-AUTH-05)',
  'V3-ONE-02':
    'POST /message/one-shot with stream: true MUST return a stream of events. (needs V3-ONE-01, V3-ONE-03, V3-SSE-01, V3-SSE-02, V3-SSE-03, V3-SSE-05, V3-SSE-08, V3-SSE-09)',
  'V3-ONE-03': [
    'One-shot MUST NOT require an Idempotency-Key. (needs V3-ONE-01)',
    'One-shot shares the key check of generate; do not require the header here.',
  ],
  'V3-ONE-04':
    '9 The deprecated content MUST be accepted in place of input. (needs V3-ONE-01, V3-ONE-03, V3-ONE-02)',
  'V3-ONE-05': [
    'runs MUST be accepted as accumulated history, and the answer MUST take it into account. (needs V3-ONE-01, V3-ONE-03, V3-SSE-17)',
    memory,
  ],
  'V3-ONE-06':
    'assistant_id: null MUST be accepted together with the scenario in assistant (the structure of assistant is open, so the refusal of a guessed one is only observed).',
  'V3-ONE-07':
    'assistant_id: searcher MUST be accepted, with an optional kb_id, and MUST answer from the knowledge base. (capability knowledge, member knowledge)',
  'V3-ONE-08':
    'One-shot MUST accept an assistant of the catalog as assistant_id. (member assistants)',
  'V3-ONE-09': [
    'One-shot MUST NOT store a chat. (needs V3-ONE-01, V3-ONE-03, V3-CHAT-05)',
    'One-shot stores a chat internally, which is then listed; do not store one.',
  ],
  'V3-ONE-10':
    'One-shot MUST accept input as an array of items. (needs V3-ONE-01, V3-ONE-03, V3-MODEL-02)',
  'V3-ONE-11': ['One-shot SHOULD NOT know what was said in another request.', leak],
  'V3-ONE-12': ['A one-shot with a listed field of the wrong type MUST NOT succeed.', wrongType],
})
