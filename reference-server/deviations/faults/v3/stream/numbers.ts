/** Faults of the numbers of events: sequence, items and parts (wire contract R5, R6, R11 to R13). */
import type { ResponseEvent } from '../../../../events/sequence.ts'
import {
  all,
  completed,
  type Edit,
  editRawEvents,
  isThinking,
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
import type { Fault } from '../../../table.ts'
import { eventFaultTable, faultTable } from '../../../table.ts'

const numberBy = (number: (event: ResponseEvent, at: number) => unknown): Edit => {
  return (events) => events.map((event, at) => withNumber(event, number(event, at)))
}

const partEvents = all(partAdded, textDelta, textDone, partDone)
export const streamNumberFaults: readonly Fault[] = [
  ...faultTable({
    'V3-SSE-06': {
      // mlx-vlm PR 494, onyx PR 13624, diegosouzapw/OmniRoute#13964
      'stream-numbers-missing: Events omit sequence_number.': editRawEvents(
        numberBy(() => undefined),
      ),
      'stream-numbers-as-text: sequence_number is a string.': editRawEvents(
        numberBy((_event, at) => String(at)),
      ),
    },
    'V3-SSE-07': {
      'stream-number-repeated-once: One event repeats the sequence_number of the previous event.':
        editRawEvents(numberBy((_event, at) => (at > 6 ? at - 1 : at))),
      // BerriAI/litellm PR 28899
      'stream-number-zero-at-the-end: The sequence_number of response.completed is 0.':
        editRawEvents(numberBy(({ type }, at) => (type === completed ? 0 : at))),
    },
  }),
  ...eventFaultTable({
    'V3-SSE-14': {
      'stream-items-from-one: output_index starts at 1.': addToIndex('output_index', () => 1),
      'stream-items-with-a-gap: With reasoning, the output_index of the answer is 2 instead of 1.':
        when(
          isThinking,
          addToIndex('output_index', (old) => (old > 0 ? 1 : 0)),
        ),
      // vllm-project/vllm PRs 31761 and 35184
      'stream-index-differs-when-done: The output_index of response.output_item.done differs from that of response.output_item.added.':
        setInEvents(itemDone, { output_index: (old: number) => old + 1 }),
      'stream-item-id-differs: The item_id of text deltas differs from the id of the added item.':
        setInEvents(textDelta, { item_id: (old: string) => `${old}0` }),
    },
    'V3-SSE-15': {
      // llm-d-inference-sim, whose Go struct fields are omitempty
      'stream-zero-indexes-left-out: Indexes with the value 0 are omitted.': (events) =>
        events.map(dropZeroIndexes),
      // lemonade-sdk/lemonade#3607
      'stream-content-index-left-out: Text deltas omit content_index.': setInEvents(textDelta, {
        content_index: undefined,
      }),
    },
    'V3-SSE-16': {
      // vllm-project/vllm#45742
      'stream-parts-counted-on: content_index continues from the reasoning item to the answer item.':
        when(
          isThinking,
          replaceEvents(partEvents, (event) => [
            Number(event['output_index']) > 0 ? { ...event, content_index: 1 } : event,
          ]),
        ),
      'stream-content-index-differs-once: One delta has the content_index of a part that was not added.':
        setInEvents(nth(textDelta, 3), { content_index: 1 }),
    },
  }),
]
/** Sets `sequence_number` to values that its type does not allow. */
function withNumber(event: ResponseEvent, sequence_number: unknown): ResponseEvent {
  return { ...event, sequence_number: sequence_number as number }
}

/** Changes an index in all events. */
function addToIndex(name: string, by: (old: number) => number): Edit {
  return (events) =>
    events.map((event) => {
      const old = event[name]
      return typeof old === 'number' ? { ...event, [name]: old + by(old) } : event
    })
}

function dropZeroIndexes(event: ResponseEvent): ResponseEvent {
  const zeros = Object.entries(event).filter(
    ([name, value]) => value === 0 && name.endsWith('_index'),
  )
  return { ...event, ...Object.fromEntries(zeros.map(([name]) => [name, undefined])) }
}
