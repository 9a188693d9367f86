import type { Requirement } from './row.ts'

const stated = { level: 'required', surface: 'v3', section: '4.3' } as const

/** Section 4.3: POST /message/generate, its fields, its two forms and its idempotency key. */
export const v3Generate = {
  'V3-GEN-01': {
    ...stated,
    title: 'With stream: false the reply is one JSON body, the final response object.',
    needs: ['V3-CHAT-03'],
  },
  'V3-GEN-02': {
    ...stated,
    section: '2.6',
    title: 'The output of a final response is an array of typed items that hold the answer.',
    needs: ['V3-GEN-01'],
  },
  'V3-GEN-03': {
    ...stated,
    title: 'Members that the response has in both forms have the same types in both.',
    contract: 'R22',
    needs: ['V3-GEN-02', 'V3-SSE-08', 'V3-SSE-09'],
  },
  'V3-GEN-04': {
    ...stated,
    level: 'expected',
    title: 'The response has the same members in both forms.',
    contract: 'R22',
    needs: ['V3-GEN-02', 'V3-SSE-08', 'V3-SSE-09'],
  },
  'V3-GEN-05': { ...stated, title: 'input may be a text.', needs: ['V3-GEN-01'] },
  'V3-GEN-06': {
    ...stated,
    title: 'input may be an array of Responses-style items.',
    needs: ['V3-GEN-01'],
  },
  'V3-GEN-07': {
    ...stated,
    title: 'input may carry an image.',
    capability: 'images',
    needs: ['V3-GEN-06', 'V3-MODEL-02'],
  },
  'V3-GEN-08': {
    ...stated,
    title: 'input may carry a video.',
    capability: 'video',
    needs: ['V3-GEN-06', 'V3-MODEL-02'],
  },
  'V3-GEN-09': {
    ...stated,
    title: 'A generation takes max_tokens, temperature, top_p and presence_penalty.',
    needs: ['V3-GEN-11'],
  },
  'V3-GEN-10': {
    ...stated,
    level: 'expected',
    title: 'The usage of a response counts no more output tokens than max_tokens.',
    needs: ['V3-GEN-09'],
  },
  'V3-GEN-11': {
    ...stated,
    title: 'parent_id is optional, and may be the id of the previous run.',
    needs: ['V3-GEN-05'],
  },
  'V3-GEN-12': {
    ...stated,
    level: 'expected',
    title:
      'The usage of a response adds up: total = input + output, cached ≤ input, reasoning ≤ output.',
    contract: 'R18',
    needs: ['V3-GEN-01'],
  },
  'V3-GEN-13': {
    ...stated,
    level: 'expected',
    title: 'A refused generation is not answered with a 5xx.',
    needs: ['V3-GEN-01'],
  },
  'V3-GEN-14': {
    ...stated,
    level: 'expected',
    title: 'A refused generation leaves no step in the history.',
    needs: ['V3-GEN-01', 'V3-HIST-07'],
  },
  'V3-GEN-15': {
    ...stated,
    level: 'expected',
    title: 'Two responses have different ids.',
    needs: ['V3-GEN-01', 'V3-IDEM-07'],
  },
  'V3-GEN-16': {
    ...stated,
    level: 'expected',
    title:
      'Every item of an input array counts: a fact told in one of them is known in the answer.',
    needs: ['V3-GEN-02', 'V3-GEN-06', 'V3-HIST-07'],
  },
  'V3-GEN-17': {
    ...stated,
    title: 'A generation with a listed field of another type than listed does not succeed.',
    needs: ['V3-GEN-01'],
  },
  'V3-MODEL-01': {
    ...stated,
    section: '2.1',
    title: 'Every accepted id of the main model works as model_id on v3.',
    needs: ['V3-GEN-05'],
  },
  'V3-MODEL-02': {
    ...stated,
    section: '2.1',
    title: 'The vision model works as model_id on v3.',
    capability: 'images',
    needs: ['V3-GEN-05'],
  },
  'V3-ASST-01': {
    ...stated,
    title: 'assistant_id of a chat generation may name an assistant of the catalog.',
    member: 'assistants',
    needs: ['V3-GEN-05', 'V3-SSE-02', 'V3-SSE-08', 'V3-SSE-09'],
  },
  'V3-TOOLS-01': {
    ...stated,
    title: 'include_tools and exclude_tools in one generation do not succeed.',
    needs: ['V3-GEN-01'],
  },
  'V3-TOOLS-02': {
    ...stated,
    title: 'A tool in exclude_tools is not used.',
    member: 'tools',
    needs: ['V3-GEN-01'],
  },
  'V3-TOOLS-03': {
    ...stated,
    title: 'With include_tools, no tool outside the list is used.',
    member: 'tools',
    needs: ['V3-GEN-01'],
  },
  'V3-CTX-01': {
    ...stated,
    section: '1',
    title:
      'A chat is a chain of runs: a fact told in a run is known to a run that has it as parent.',
    needs: ['V3-GEN-02'],
  },
  'V3-CTX-02': {
    ...stated,
    section: '1',
    title: 'A fresh chat does not know what was told in another chat.',
    needs: ['V3-GEN-02'],
  },
  'V3-IDEM-01': {
    ...stated,
    title: 'A generation without Idempotency-Key does not succeed.',
    needs: ['V3-GEN-01'],
  },
  'V3-IDEM-02': {
    ...stated,
    title: 'A repeat with the same Idempotency-Key adds no second step (one JSON body).',
    needs: ['V3-GEN-01', 'V3-HIST-16'],
  },
  'V3-IDEM-03': {
    ...stated,
    title: 'A repeat with the same Idempotency-Key adds no second step (stream).',
    needs: ['V3-SSE-01', 'V3-HIST-16'],
  },
  'V3-IDEM-04': {
    ...stated,
    title: 'A repeat while the first request is still answered adds no second step.',
    needs: ['V3-SSE-01', 'V3-IDEM-03'],
  },
  'V3-IDEM-05': {
    ...stated,
    title: 'Requests that race with one Idempotency-Key make one step.',
    needs: ['V3-GEN-01', 'V3-IDEM-02'],
  },
  'V3-IDEM-06': { ...stated, title: 'Any string serves as Idempotency-Key.', needs: ['V3-GEN-11'] },
  'V3-IDEM-07': {
    ...stated,
    title: 'Another Idempotency-Key makes another step, though the request is the same.',
    needs: ['V3-GEN-01', 'V3-GEN-11', 'V3-HIST-16'],
  },
  'V3-IDEM-08': {
    ...stated,
    level: 'expected',
    title: 'A repeat is not answered with a 5xx.',
    needs: ['V3-GEN-01'],
  },
  'V3-THINK-01': {
    ...stated,
    title: 'With think, reasoning arrives in the stream apart from the answer.',
    capability: 'reasoning',
    needs: ['V3-SSE-02', 'V3-SSE-03'],
  },
  'V3-THINK-02': {
    ...stated,
    level: 'expected',
    title: 'The reasoning is not repeated in the text of the answer.',
    capability: 'reasoning',
    needs: ['V3-THINK-01', 'V3-SSE-17'],
  },
} as const satisfies Record<string, Requirement>
