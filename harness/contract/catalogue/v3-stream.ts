import type { Requirement } from './row.ts'

const stated = { level: 'required', surface: 'v3', section: '6', needs: ['V3-SSE-01'] } as const
const contract = { level: 'expected', surface: 'v3', section: '6', needs: ['V3-SSE-01'] } as const

/** Section 6: the events of a streamed response, with the Responses-style contract behind them. */
export const v3Stream = {
  'V3-SSE-01': {
    ...stated,
    section: '4.3',
    title: 'With stream: true the reply is a 200 with the media type text/event-stream.',
    contract: 'R1',
    needs: ['V3-CHAT-01'],
  },
  'V3-SSE-02': {
    ...stated,
    title:
      'Every block of the stream, a closing data: [DONE] aside, has one event: line and data: lines that hold a JSON object.',
    contract: 'R2',
  },
  'V3-SSE-03': {
    ...stated,
    title: 'The type in the data of an event, where present, is the name of the event.',
    contract: 'R3',
    needs: ['V3-SSE-02'],
  },
  'V3-SSE-04': { ...contract, title: 'The data of every event has a type.', contract: 'R3' },
  'V3-SSE-05': { ...stated, title: 'response.created comes first and once.', contract: 'R4' },
  'V3-SSE-06': {
    ...contract,
    title: 'Every event has a sequence_number, an integer.',
    contract: 'R5',
  },
  'V3-SSE-07': { ...contract, title: 'sequence_number rises strictly.', contract: 'R6' },
  'V3-SSE-08': {
    ...stated,
    title:
      'A stream has one terminal event (response.failed may follow error), nothing but [DONE] after it, and ends cleanly.',
    contract: 'R8',
  },
  'V3-SSE-09': {
    ...stated,
    title:
      'A generation that succeeds and is not cut ends with response.completed, whose response is the final response.',
    contract: 'R8',
  },
  'V3-SSE-10': {
    ...stated,
    title: 'The id of the response is the same in every event that shows it.',
    contract: 'R9',
  },
  'V3-SSE-11': {
    ...contract,
    title: 'created_at and model are the same in every event that shows the response.',
    contract: 'R9',
  },
  'V3-SSE-12': {
    ...stated,
    title: 'response.output_item.added comes before the first delta of the answer.',
    contract: 'R10',
  },
  'V3-SSE-13': {
    ...contract,
    title: 'Items and parts are added, filled and done in the order of the contract.',
    contract: 'R10',
    needs: ['V3-SSE-12'],
  },
  'V3-SSE-14': {
    ...contract,
    title: 'output_index counts up without a gap and belongs to one item throughout.',
    contract: 'R11',
    needs: ['V3-SSE-12'],
  },
  'V3-SSE-15': {
    ...contract,
    title: 'Indexes are present in every event that takes them, also when they are 0.',
    contract: 'R12',
  },
  'V3-SSE-16': {
    ...contract,
    title: 'content_index and summary_index start at 0 in each item.',
    contract: 'R13',
  },
  'V3-SSE-17': {
    ...stated,
    title:
      'The response.output_text.delta of a stream, joined, are the text of its final response.',
    contract: 'R14',
    needs: ['V3-SSE-02', 'V3-SSE-08', 'V3-SSE-09', 'V3-SSE-25', 'V3-SSE-26'],
  },
  'V3-SSE-18': {
    ...contract,
    title: 'Deltas, done events, parts, items and final response agree with each other.',
    contract: 'R14',
    needs: ['V3-SSE-12', 'V3-SSE-17', 'V3-SSE-24'],
  },
  'V3-SSE-19': {
    ...contract,
    title: 'The output of the final response is the items that were done, in their order.',
    contract: 'R15',
  },
  'V3-SSE-20': {
    ...contract,
    title:
      'Items are added in_progress and done in a final status; a completed response holds completed items.',
    contract: 'R16',
  },
  'V3-SSE-21': {
    ...contract,
    title: 'The status, error and incomplete_details of a response agree with its event.',
    contract: 'R17',
  },
  'V3-SSE-22': {
    ...contract,
    title:
      'The usage of a streamed response adds up: total = input + output, cached ≤ input, reasoning ≤ output.',
    contract: 'R18',
  },
  'V3-SSE-23': {
    ...contract,
    title: 'The arguments of a completed function_call are JSON.',
    contract: 'R19',
  },
  'V3-SSE-24': {
    ...stated,
    title: 'response.reasoning_text.delta comes only with think.',
    contract: 'R20',
  },
  'V3-SSE-25': {
    ...stated,
    title: 'The delta of a text or reasoning event is a string.',
    contract: 'R21',
  },
  'V3-SSE-26': { ...stated, title: 'The bytes of the stream are UTF-8.', contract: 'R21' },
  'V3-SSE-27': { ...contract, title: 'No delta holds half of a surrogate pair.', contract: 'R21' },
  'V3-SSE-28': {
    ...contract,
    title: 'Annotations lie within the text, and the done part lists those that were announced.',
    contract: 'R24',
  },
  'V3-SSE-29': {
    ...contract,
    title: 'No data: [DONE] follows; where one does, it is single and last.',
    contract: 'R8',
  },
  'V3-SSE-30': {
    ...contract,
    title: 'Events arrive while the answer is made, not all at its end.',
    needs: ['V3-SSE-25'],
  },
} as const satisfies Record<string, Requirement>
