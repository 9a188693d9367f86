/** Faults of the order of events and of their added and done brackets (section 6, 2 and 3). */
import type { ResponseEvent } from '../../../../events/sequence.ts'
import {
  itemAdded,
  itemDone,
  partAdded,
  partDone,
  terminalEvents,
  textDelta,
  textDone,
} from '../../../patches/event-names.ts'
import {
  dropEvents,
  isCompleted,
  isThinking,
  moveEvents,
  nth,
  replaceEvents,
  setInEvents,
  when,
} from '../../../patches/events.ts'
import { eventFaultTable } from '../../../table.ts'

export const streamOrderFaults = eventFaultTable({
  'V3-SSE-05': {
    'stream-created-missing: The stream omits response.created and starts with response.in_progress.':
      dropEvents('response.created'),
    'stream-created-second: response.in_progress is sent before response.created.': moveEvents(
      'response.in_progress',
      'before',
      'response.created',
    ),
    'stream-created-twice: response.created is sent twice.': replaceEvents(
      'response.created',
      (event) => [event, event],
    ),
  },
  'V3-SSE-12': {
    'stream-item-added-late: response.output_item.added of the answer is sent after its first delta.':
      moveAnswerAfterDelta(),
    'stream-item-never-added: response.output_item.added is omitted.': dropEvents(itemAdded),
    'stream-of-deltas-alone: Only deltas are sent between response.created and the terminal event.':
      {
        precedent: 'Sophomoresty/gemini-web2api PR 57',
        patch: (events) =>
          events.filter(
            ({ type }) =>
              type === 'response.created' ||
              type.endsWith('.delta') ||
              terminalEvents.includes(type),
          ),
      },
  },
  'V3-SSE-13': {
    'stream-part-not-added: response.content_part.added is omitted.': dropEvents(partAdded),
    'stream-part-not-done: response.content_part.done is omitted.': {
      precedent: 'vllm-project/guidellm, mock server',
      patch: dropEvents(partDone),
    },
    'stream-text-not-done: response.output_text.done is omitted.': dropEvents(textDone),
    'stream-item-not-done: response.output_item.done is omitted.': dropEvents(itemDone),
    'stream-item-done-early: response.output_item.done is sent before response.content_part.done.':
      when(({ steps }) => steps.length === 1, moveEvents(itemDone, 'before', partDone)),
    'stream-text-done-after-its-part: response.output_text.done is sent after response.content_part.done.':
      when(({ steps }) => steps.length === 1, moveEvents(textDone, 'after', partDone)),
    'stream-item-added-twice: Each response.output_item.added is sent twice.': replaceEvents(
      itemAdded,
      (event) => [event, event],
    ),
    'stream-item-null: The item of response.output_item.added is null.': setInEvents(itemAdded, {
      item: null,
    }),
    'stream-in-progress-late: response.in_progress is sent after the first part and resets the output in clients.':
      moveEvents('response.in_progress', 'after', partAdded),
    'stream-in-progress-without-output: The response object of response.in_progress omits output.':
      {
        precedent: 'diegosouzapw/OmniRoute#13964',
        patch: setInEvents('response.in_progress', { 'response.output': undefined }),
      },
    'stream-reasoning-part-not-added: response.content_part.added is omitted for the reasoning part only.':
      when(isThinking, dropEvents(nth(partAdded, 0))),
    'stream-delta-after-its-text: An empty delta is sent after response.output_text.done.': when(
      isCompleted,
      replaceEvents(textDone, (event, events) => [event, ...emptyDelta(events)]),
    ),
    'stream-delta-of-another-item: With reasoning, text deltas have the item_id and output_index of the reasoning item.':
      {
        also: ['V3-SSE-18'],
        patch: when(
          isThinking,
          replaceEvents(textDelta, (event, events) => [asFirstItem(event, events)]),
        ),
      },
  },
})

function moveAnswerAfterDelta() {
  return moveEvents(nth(itemAdded, -1), 'after', textDelta)
}

function emptyDelta(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
  const first = events.find(({ type }) => type === textDelta)
  return first === undefined ? [] : [{ ...first, delta: '' }]
}

function asFirstItem(event: ResponseEvent, events: readonly ResponseEvent[]): ResponseEvent {
  const first = events.find(({ type }) => type === partAdded)
  return { ...event, item_id: first?.['item_id'], output_index: first?.['output_index'] }
}
