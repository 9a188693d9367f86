/** Faults of the numbers of events and of their response objects (wire contract R5, R6, R9, R11 to R18). */
import type { ResponseEvent } from '../../../../events/sequence.ts'
import {
  all,
  completed,
  created,
  type Edit,
  editRawEvents,
  finalEvents,
  isThinking,
  itemAdded,
  itemDone,
  nth,
  partAdded,
  partDone,
  replaceEvents,
  setInEvents,
  textDelta,
  textDone,
  when,
} from '../../../patches/events.ts'
import { eventFaultTable, faultTable } from '../../../table.ts'

const partEvents = all(partAdded, textDelta, textDone, partDone)
export const streamResponseFaults = eventFaultTable({
  'V3-SSE-09 stream-completed-without-response: response.completed omits response.': setInEvents(
    completed,
    { response: undefined },
  ),
  // 7836246/cursor2api#116
  'V3-SSE-09 stream-response-not-nested: The members of the final response are next to type instead of in response.':
    replaceEvents(completed, ({ response, ...event }) => [{ ...Object(response), ...event }]),
  'V3-SSE-09 stream-ends-incomplete: The stream of a complete answer ends with response.incomplete.':
    endAs('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
  'V3-SSE-10 stream-response-id-changes: The id of the final response differs from that in response.created.':
    setInEvents(finalEvents, { 'response.id': (old: string) => `${old}0` }),
  'V3-SSE-11 stream-created-at-moves: The created_at of the final response differs from that in earlier events.':
    setInEvents(finalEvents, { 'response.created_at': (old: number) => old + 1 }),
  'V3-SSE-11 stream-model-changes: The model of the final response differs from that in earlier events.':
    setInEvents(finalEvents, { 'response.model': (old: string) => `${old}-2026-01-15` }),
  'V3-SSE-19 stream-output-lacks-an-item: The output of the final response omits the streamed reasoning item.':
    when(
      isThinking,
      setInEvents(finalEvents, {
        'response.output': (items: readonly object[]) => items.slice(1),
      }),
    ),
  'V3-SSE-19 stream-output-has-an-item-more: The output of the final response contains an item that was not streamed.':
    setInEvents(finalEvents, {
      'response.output': (items: readonly object[]) => [
        { id: 'rs_0', type: 'reasoning', status: 'completed', summary: [] },
        ...items,
      ],
    }),
  'V3-SSE-19 stream-output-with-other-ids: The items of the final response have other ids than in earlier events.':
    setInEvents(finalEvents, { 'response.output.*.id': (old: string) => `${old}0` }),
  'V3-SSE-19 stream-call-id-changes: The call_id of a function call in the final response differs from the streamed one.':
    setInEvents(finalEvents, {
      'response.output.*': (item: { readonly call_id?: string }) =>
        item.call_id === undefined ? item : { ...item, call_id: `${item.call_id}0` },
    }),
  'V3-SSE-20 stream-item-added-completed: Items are added with the status completed.': setInEvents(
    itemAdded,
    { 'item.status': 'completed' },
  ),
  'V3-SSE-21 stream-completed-in-progress: The response of response.completed has the status in_progress.':
    setInEvents(completed, { 'response.status': 'in_progress' }),
  'V3-SSE-21 stream-created-completed: The response of response.created has the status completed.':
    setInEvents(created, { 'response.status': 'completed' }),
  'V3-SSE-21 stream-incomplete-completed: The response of response.incomplete has the status completed.':
    setInEvents('response.incomplete', { 'response.status': 'completed' }),
  'V3-SSE-21 stream-completed-with-an-error: The response object of response.completed has an error with a null code.':
    setInEvents(completed, { 'response.error': { code: null, message: '' } }),
  'V3-SSE-22 stream-usage-off-by-one: The total_tokens of the final response are too high by one.':
    setInEvents(finalEvents, { 'response.usage.total_tokens': (old: number) => old + 1 }),
  'V3-SSE-22 stream-usage-cached-too-much: The cached_tokens of the final response exceed input_tokens.':
    setInEvents(finalEvents, { 'response.usage.input_tokens_details.cached_tokens': 100_000 }),
  'V3-SSE-14 stream-items-from-one: output_index starts at 1.': (events) =>
    events.map((event) => {
      const index = event['output_index']
      return typeof index === 'number' ? { ...event, output_index: index + 1 } : event
    }),
  // vllm-project/vllm PRs 31761 and 35184
  'V3-SSE-14 stream-index-differs-when-done: The output_index of response.output_item.done differs from that of response.output_item.added.':
    setInEvents(itemDone, { output_index: (old: number) => old + 1 }),
  'V3-SSE-14 stream-item-id-differs: The item_id of text deltas differs from the id of the added item.':
    setInEvents(textDelta, { item_id: (old: string) => `${old}0` }),
  // llm-d-inference-sim, whose Go struct fields are omitempty
  'V3-SSE-15 stream-zero-indexes-left-out: Indexes with the value 0 are omitted.': (events) =>
    events.map(dropZeroIndexes),
  // lemonade-sdk/lemonade#3607
  'V3-SSE-15 stream-content-index-left-out: Text deltas omit content_index.': setInEvents(
    textDelta,
    {
      content_index: undefined,
    },
  ),
  // vllm-project/vllm#45742
  'V3-SSE-16 stream-parts-counted-on: content_index continues from the reasoning item to the answer item.':
    when(
      isThinking,
      replaceEvents(partEvents, (event) => [
        Number(event['output_index']) > 0 ? { ...event, content_index: 1 } : event,
      ]),
    ),
  'V3-SSE-16 stream-content-index-differs-once: One delta has the content_index of a part that was not added.':
    setInEvents(nth(textDelta, 3), { content_index: 1 }),
})
function endAs(status: string, members: object) {
  return replaceEvents(completed, (event) => [
    {
      ...event,
      type: `response.${status}`,
      response: { ...Object(event['response']), ...members, status },
    },
  ])
}

/** Sets `sequence_number`, also to values that its type does not allow. */
const numberBy = (number: (event: ResponseEvent, at: number) => unknown): Edit => {
  return (events) =>
    events.map((event, at) => ({ ...event, sequence_number: number(event, at) as number }))
}

export const streamNumberFaults = faultTable({
  // mlx-vlm PR 494, onyx PR 13624, diegosouzapw/OmniRoute#13964
  'V3-SSE-06 stream-numbers-missing: Events omit sequence_number.': editRawEvents(
    numberBy(() => undefined),
  ),
  'V3-SSE-06 stream-numbers-as-text: sequence_number is a string.': editRawEvents(
    numberBy((_event, at) => String(at)),
  ),
  'V3-SSE-07 stream-number-repeated-once: One event repeats the sequence_number of the previous event.':
    editRawEvents(numberBy((_event, at) => (at > 6 ? at - 1 : at))),
  // BerriAI/litellm PR 28899
  'V3-SSE-07 stream-number-zero-at-the-end: The sequence_number of response.completed is 0.':
    editRawEvents(numberBy(({ type }, at) => (type === completed ? 0 : at))),
})

function dropZeroIndexes(event: ResponseEvent): ResponseEvent {
  const zeros = Object.entries(event).filter(
    ([name, value]) => value === 0 && name.endsWith('_index'),
  )
  return { ...event, ...Object.fromEntries(zeros.map(([name]) => [name, undefined])) }
}
