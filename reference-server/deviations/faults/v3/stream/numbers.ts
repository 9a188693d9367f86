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
    summary: 'No event has a sequence_number.',
    breaks: ['V3-SSE-06'],
    seen: 'mlx-vlm PR 494, onyx PR 13624, diegosouzapw/OmniRoute#13964',
    patch: editRawEvents(numberBy(() => undefined)),
  },
  {
    name: 'stream-number-missing-at-the-end',
    summary: 'response.completed has no sequence_number, all other events have.',
    breaks: ['V3-SSE-06'],
    patch: editRawEvents(numberBy(({ type }, at) => (type === completed ? undefined : at))),
  },
  {
    name: 'stream-numbers-as-text',
    summary: 'Every sequence_number is a string.',
    breaks: ['V3-SSE-06'],
    patch: editRawEvents(numberBy((_event, at) => String(at))),
  },
  {
    name: 'stream-numbers-with-fractions',
    summary: 'Every sequence_number is a time in seconds.',
    breaks: ['V3-SSE-06'],
    patch: editRawEvents(numberBy((_event, at) => at + 0.5)),
  },
  {
    name: 'stream-number-repeated-once',
    summary: 'One event in the middle has the sequence_number of the one before it.',
    breaks: ['V3-SSE-07'],
    patch: editRawEvents(numberBy((_event, at) => (at > 6 ? at - 1 : at))),
  },
  {
    name: 'stream-numbers-all-alike',
    summary: 'Every delta has the same sequence_number.',
    breaks: ['V3-SSE-07'],
    seen: 'vidaiUK/VidaiMock, templates',
    patch: editRawEvents(numberBy(({ type }, at) => (type === textDelta ? 5 : at))),
  },
  {
    name: 'stream-numbers-of-each-item',
    summary: 'The numbers begin anew with each item, and with the end of the stream.',
    breaks: ['V3-SSE-07'],
    patch: editRawEvents(restartAt([itemAdded, completed])),
  },
  {
    name: 'stream-number-zero-at-the-end',
    summary: 'The final event, made elsewhere, has the sequence_number 0.',
    breaks: ['V3-SSE-07'],
    seen: 'BerriAI/litellm PR 28899',
    patch: editRawEvents(numberBy(({ type }, at) => (type === completed ? 0 : at))),
  },
  {
    name: 'stream-items-from-one',
    summary: 'The first item has the output_index 1.',
    breaks: ['V3-SSE-14'],
    patch: editEvents(addToIndex('output_index', () => 1)),
  },
  {
    name: 'stream-items-with-a-gap',
    summary: 'With reasoning, the answer has the output_index 2.',
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
    summary: 'Every item has the output_index 0.',
    breaks: ['V3-SSE-14'],
    patch: editEvents(addToIndex('output_index', (old) => -old)),
  },
  {
    name: 'stream-index-differs-when-done',
    summary: 'An item is done at another output_index than it was added at.',
    breaks: ['V3-SSE-14'],
    seen: 'vllm-project/vllm PRs 31761 and 35184',
    patch: editEvents(setInEvents(all(itemDone), 'output_index', (old: number) => old + 1)),
  },
  {
    name: 'stream-item-id-differs',
    summary: 'The item_id of deltas is not the id of the item that was added.',
    breaks: ['V3-SSE-14'],
    patch: editEvents(setInEvents(all(textDelta), 'item_id', (old: string) => `${old}0`)),
  },
  {
    name: 'stream-item-id-changes-when-done',
    summary: 'The item of output_item.done has another id than the one that was added.',
    breaks: ['V3-SSE-14'],
    patch: editEvents(setInEvents(all(itemDone), 'item.id', (old: string) => `${old}0`)),
  },
  {
    name: 'stream-zero-indexes-left-out',
    summary: 'Indexes that are 0 are left out.',
    breaks: ['V3-SSE-15'],
    seen: 'llm-d-inference-sim, whose Go members are omitempty',
    patch: editEvents((events) => events.map(dropZeroIndexes)),
  },
  {
    name: 'stream-content-index-left-out',
    summary: 'Deltas have no content_index.',
    breaks: ['V3-SSE-15'],
    seen: 'lemonade-sdk/lemonade#3607',
    patch: editEvents(setInEvents(all(textDelta), 'content_index', undefined)),
  },
  {
    name: 'stream-output-index-left-out',
    summary: 'response.output_item.added has no output_index.',
    breaks: ['V3-SSE-15'],
    seen: 'open-responses-server#44',
    patch: editEvents(setInEvents(all(itemAdded), 'output_index', undefined)),
  },
  {
    name: 'stream-parts-from-one',
    summary: 'The part of the text has the content_index 1.',
    breaks: ['V3-SSE-16'],
    patch: editEvents(setInEvents(partEvents, 'content_index', 1)),
  },
  {
    name: 'stream-parts-counted-on',
    summary: 'content_index runs on from the reasoning to the answer.',
    breaks: ['V3-SSE-16'],
    seen: 'vllm-project/vllm#45742',
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
    summary: 'content_index rises by one with each delta.',
    breaks: ['V3-SSE-16'],
    seen: 'vllm-project/vllm PR 31761',
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
    summary: 'One delta names a part that is not there.',
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

/** An index is counted otherwise wherever it stands. */
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
