import type { Requirement } from './row.ts'

const stated = { level: 'required', surface: 'v3', section: '4.3' } as const

/** Section 4.3: POST /message/one-shot, an answer without a stored chat. */
export const v3OneShot = {
  'V3-ONE-01': {
    ...stated,
    title:
      'POST /message/one-shot with stream: false answers with one JSON body, the final response object.',
    needs: ['V3-AUTH-05'],
  },
  'V3-ONE-02': {
    ...stated,
    title: 'POST /message/one-shot with stream: true answers with a stream of events.',
    needs: [
      'V3-ONE-01',
      'V3-ONE-03',
      'V3-SSE-01',
      'V3-SSE-02',
      'V3-SSE-03',
      'V3-SSE-05',
      'V3-SSE-08',
      'V3-SSE-09',
    ],
  },
  'V3-ONE-03': { ...stated, title: 'One-shot needs no Idempotency-Key.', needs: ['V3-ONE-01'] },
  'V3-ONE-04': {
    ...stated,
    section: '9',
    title: 'The deprecated content may carry the text instead of input.',
    needs: ['V3-ONE-01', 'V3-ONE-03'],
  },
  'V3-ONE-05': {
    ...stated,
    title: 'runs carries an accumulated history that the answer knows.',
    needs: ['V3-ONE-01', 'V3-ONE-03'],
  },
  'V3-ONE-06': {
    ...stated,
    title:
      'assistant_id may be null, with the scenario in assistant (a refusal of our assistant, whose structure is open, is only observed).',
    needs: ['V3-ONE-01', 'V3-ONE-03'],
  },
  'V3-ONE-07': {
    ...stated,
    title:
      'assistant_id may be searcher, with an optional kb_id: the answer comes from the knowledge base.',
    capability: 'knowledge',
    member: 'knowledge',
    needs: ['V3-ONE-01', 'V3-ONE-03'],
  },
  'V3-ONE-08': {
    ...stated,
    title: 'assistant_id of a one-shot may name an assistant of the catalog.',
    member: 'assistants',
    needs: ['V3-ONE-01', 'V3-ONE-03'],
  },
  'V3-ONE-09': {
    ...stated,
    title: 'One-shot stores no chat.',
    needs: ['V3-ONE-01', 'V3-ONE-03', 'V3-CHAT-05'],
  },
  'V3-ONE-10': {
    ...stated,
    title: 'input of one-shot may be an array of items.',
    needs: ['V3-ONE-01', 'V3-ONE-03'],
  },
  'V3-ONE-11': {
    ...stated,
    level: 'expected',
    title: 'One-shot knows nothing told in another request.',
    needs: ['V3-ONE-01', 'V3-ONE-03'],
  },
  'V3-ONE-12': {
    ...stated,
    title: 'A one-shot with a listed field of another type than listed does not succeed.',
    needs: ['V3-ONE-01', 'V3-ONE-03'],
  },
} as const satisfies Record<string, Requirement>
