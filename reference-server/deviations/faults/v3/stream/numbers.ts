/** Faults of the numbers of events: sequence, items and parts (wire contract R5, R6, R11 to R13). */
import type { ResponseEvent } from '../../../../events/sequence.ts'
import {
  completed,
  itemAdded,
  itemDone,
  partAdded,
  partDone,
  reasoningDelta,
  textDelta,
  textDone,
} from '../../../patches/event-names.ts'
import {
  all,
  type Edit,
  editEvents,
  editRawEvents,
  isThinking,
  nth,
  replaceEvents,
  setInEvents,
  when,
} from '../../../patches/events.ts'
import type { Fault } from '../../../types.ts'

const numberBy = (number: (event: ResponseEvent, at: number) => unknown): Edit => {
  return (events) => events.map((event, at) => withNumber(event, number(event, at)))
}

/** Sets `sequence_number` to values that its type does not allow. */
function withNumber(event: ResponseEvent, sequence_number: unknown): ResponseEvent {
  return { ...event, sequence_number: sequence_number as number }
}

const partEvents = all(partAdded, textDelta, textDone, partDone)

export const streamNumberFaults: readonly Fault[] = [
  {
    name: 'stream-numbers-missing',
    summary: 'Events omit sequence_number.',
    breaks: ['V3-SSE-06'],
    precedent: 'mlx-vlm PR 494, onyx PR 13624, diegosouzapw/OmniRoute#13964',
    patch: editRawEvents(numberBy(() => undefined)),
  },
  {
    name: 'stream-number-missing-at-the-end',
    summary: 'Only response.completed omits sequence_number.',
    breaks: ['V3-SSE-06'],
    patch: editRawEvents(numberBy(({ type }, at) => (type === completed ? undefined : at))),
  },
  {
    name: 'stream-numbers-as-text',
    summary: 'sequence_number is a string.',
    breaks: ['V3-SSE-06'],
    patch: editRawEvents(numberBy((_event, at) => String(at))),
  },
  {
    name: 'stream-numbers-with-fractions',
    summary: 'sequence_number has a fractional part.',
    breaks: ['V3-SSE-06'],
    patch: editRawEvents(numberBy((_event, at) => at + 0.5)),
  },
  {
    name: 'stream-number-repeated-once',
    summary: 'One event repeats the sequence_number of the previous event.',
    breaks: ['V3-SSE-07'],
    patch: editRawEvents(numberBy((_event, at) => (at > 6 ? at - 1 : at))),
  },
  {
    name: 'stream-numbers-all-alike',
    summary: 'All text deltas have the same sequence_number.',
    breaks: ['V3-SSE-07'],
    precedent: 'vidaiUK/VidaiMock, templates',
    patch: editRawEvents(numberBy(({ type }, at) => (type === textDelta ? 5 : at))),
  },
  {
    name: 'stream-numbers-of-each-item',
    summary: 'sequence_number restarts with each item and with response.completed.',
    breaks: ['V3-SSE-07'],
    patch: editRawEvents(restartAt([itemAdded, completed])),
  },
  {
    name: 'stream-number-zero-at-the-end',
    summary: 'The sequence_number of response.completed is 0.',
    breaks: ['V3-SSE-07'],
    precedent: 'BerriAI/litellm PR 28899',
    patch: editRawEvents(numberBy(({ type }, at) => (type === completed ? 0 : at))),
  },
  {
    name: 'stream-items-from-one',
    summary: 'output_index starts at 1.',
    breaks: ['V3-SSE-14'],
    patch: editEvents(addToIndex('output_index', () => 1)),
  },
  {
    name: 'stream-items-with-a-gap',
    summary: 'With reasoning, the output_index of the answer is 2 instead of 1.',
    breaks: ['V3-SSE-14'],
    patch: editEvents(
      when(
        isThinking,
        addToIndex('output_index', (old) => (old > 0 ? 1 : 0)),
      ),
    ),
  },
  {
    name: 'stream-items-all-at-zero',
    summary: 'The output_index of every item is 0.',
    breaks: ['V3-SSE-14'],
    patch: editEvents(addToIndex('output_index', (old) => -old)),
  },
  {
    name: 'stream-index-differs-when-done',
    summary:
      'The output_index of response.output_item.done differs from that of response.output_item.added.',
    breaks: ['V3-SSE-14'],
    precedent: 'vllm-project/vllm PRs 31761 and 35184',
    patch: editEvents(setInEvents(all(itemDone), 'output_index', (old: number) => old + 1)),
  },
  {
    name: 'stream-item-id-differs',
    summary: 'The item_id of text deltas differs from the id of the added item.',
    breaks: ['V3-SSE-14'],
    patch: editEvents(setInEvents(all(textDelta), 'item_id', (old: string) => `${old}0`)),
  },
  {
    name: 'stream-item-id-changes-when-done',
    summary:
      'The item id of response.output_item.done differs from that of response.output_item.added.',
    breaks: ['V3-SSE-14'],
    patch: editEvents(setInEvents(all(itemDone), 'item.id', (old: string) => `${old}0`)),
  },
  {
    name: 'stream-zero-indexes-left-out',
    summary: 'Indexes with the value 0 are omitted.',
    breaks: ['V3-SSE-15'],
    precedent: 'llm-d-inference-sim, whose Go struct fields are omitempty',
    patch: editEvents((events) => events.map(dropZeroIndexes)),
  },
  {
    name: 'stream-content-index-left-out',
    summary: 'Text deltas omit content_index.',
    breaks: ['V3-SSE-15'],
    precedent: 'lemonade-sdk/lemonade#3607',
    patch: editEvents(setInEvents(all(textDelta), 'content_index', undefined)),
  },
  {
    name: 'stream-output-index-left-out',
    summary: 'response.output_item.added omits output_index.',
    breaks: ['V3-SSE-15'],
    precedent: 'open-responses-server#44',
    patch: editEvents(setInEvents(all(itemAdded), 'output_index', undefined)),
  },
  {
    name: 'stream-parts-from-one',
    summary: 'The content_index of the text part is 1 instead of 0.',
    breaks: ['V3-SSE-16'],
    patch: editEvents(setInEvents(partEvents, 'content_index', 1)),
  },
  {
    name: 'stream-parts-counted-on',
    summary: 'content_index continues from the reasoning item to the answer item.',
    breaks: ['V3-SSE-16'],
    precedent: 'vllm-project/vllm#45742',
    patch: editEvents(
      when(
        isThinking,
        replaceEvents(partEvents, (event) => [
          Number(event['output_index']) > 0 ? { ...event, content_index: 1 } : event,
        ]),
      ),
    ),
  },
  {
    name: 'stream-content-index-of-each-delta',
    summary: 'content_index increases with each delta.',
    breaks: ['V3-SSE-16'],
    precedent: 'vllm-project/vllm PR 31761',
    patch: editEvents((events) => {
      let next = 0
      return events.map((event) =>
        event.type === textDelta || event.type === reasoningDelta
          ? { ...event, content_index: next++ }
          : event,
      )
    }),
  },
  {
    name: 'stream-content-index-differs-once',
    summary: 'One delta has the content_index of a part that was not added.',
    breaks: ['V3-SSE-16'],
    patch: editEvents(setInEvents(nth(textDelta, 3), 'content_index', 1)),
  },
]

function restartAt(types: readonly string[]): Edit {
  return (events) => {
    let next = 0
    return events.map((event) => {
      if (types.includes(event.type)) next = 0
      return withNumber(event, next++)
    })
  }
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
