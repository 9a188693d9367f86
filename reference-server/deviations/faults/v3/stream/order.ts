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
  all,
  dropEvents,
  editEvents,
  isCompleted,
  isThinking,
  moveEvents,
  nth,
  replaceEvents,
  setInEvents,
  when,
} from '../../../patches/events.ts'
import type { Fault } from '../../../types.ts'

export const streamOrderFaults: readonly Fault[] = [
  {
    name: 'stream-created-missing',
    summary: 'The stream omits response.created and starts with response.in_progress.',
    breaks: ['V3-SSE-05'],
    patch: editEvents(dropEvents('response.created')),
  },
  {
    name: 'stream-created-second',
    summary: 'response.in_progress is sent before response.created.',
    breaks: ['V3-SSE-05'],
    patch: editEvents(moveEvents(all('response.in_progress'), 'before', 'response.created')),
  },
  {
    name: 'stream-created-twice',
    summary: 'response.created is sent twice.',
    breaks: ['V3-SSE-05'],
    patch: editEvents(replaceEvents(all('response.created'), (event) => [event, event])),
  },
  {
    name: 'stream-item-added-late',
    summary: 'response.output_item.added of the answer is sent after its first delta.',
    breaks: ['V3-SSE-12'],
    patch: editEvents(moveAnswerAfterDelta()),
  },
  {
    name: 'stream-item-never-added',
    summary: 'response.output_item.added is omitted.',
    breaks: ['V3-SSE-12'],
    patch: editEvents(dropEvents(itemAdded)),
  },
  {
    name: 'stream-of-deltas-alone',
    summary: 'Only deltas are sent between response.created and the terminal event.',
    breaks: ['V3-SSE-12'],
    precedent: 'Sophomoresty/gemini-web2api PR 57',
    patch: editEvents((events) =>
      events.filter(
        ({ type }) =>
          type === 'response.created' || type.endsWith('.delta') || terminalEvents.includes(type),
      ),
    ),
  },
  {
    name: 'stream-part-not-added',
    summary: 'response.content_part.added is omitted.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(dropEvents(partAdded)),
  },
  {
    name: 'stream-part-not-done',
    summary: 'response.content_part.done is omitted.',
    breaks: ['V3-SSE-13'],
    precedent: 'vllm-project/guidellm, mock server',
    patch: editEvents(dropEvents(partDone)),
  },
  {
    name: 'stream-text-not-done',
    summary: 'response.output_text.done is omitted.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(dropEvents(textDone)),
  },
  {
    name: 'stream-item-not-done',
    summary: 'response.output_item.done is omitted.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(dropEvents(itemDone)),
  },
  {
    name: 'stream-item-done-early',
    summary: 'response.output_item.done is sent before response.content_part.done.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(
      when(({ steps }) => steps.length === 1, moveEvents(all(itemDone), 'before', partDone)),
    ),
  },
  {
    name: 'stream-text-done-after-its-part',
    summary: 'response.output_text.done is sent after response.content_part.done.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(
      when(({ steps }) => steps.length === 1, moveEvents(all(textDone), 'after', partDone)),
    ),
  },
  {
    name: 'stream-item-added-twice',
    summary: 'Each response.output_item.added is sent twice.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(replaceEvents(all(itemAdded), (event) => [event, event])),
  },
  {
    name: 'stream-item-null',
    summary: 'The item of response.output_item.added is null.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(setInEvents(all(itemAdded), 'item', null)),
  },
  {
    name: 'stream-in-progress-late',
    summary: 'response.in_progress is sent after the first part and resets the output in clients.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(moveEvents(all('response.in_progress'), 'after', partAdded)),
  },
  {
    name: 'stream-in-progress-without-output',
    summary: 'The response object of response.in_progress omits output.',
    breaks: ['V3-SSE-13'],
    precedent: 'diegosouzapw/OmniRoute#13964',
    patch: editEvents(setInEvents(all('response.in_progress'), 'response.output', undefined)),
  },
  {
    name: 'stream-reasoning-part-not-added',
    summary: 'response.content_part.added is omitted for the reasoning part only.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(
      when(
        isThinking,
        replaceEvents(nth(partAdded, 0), () => []),
      ),
    ),
  },
  {
    name: 'stream-delta-after-its-text',
    summary: 'An empty delta is sent after response.output_text.done.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(
      when(
        isCompleted,
        replaceEvents(all(textDone), (event, events) => [event, ...emptyDelta(events)]),
      ),
    ),
  },
  {
    name: 'stream-delta-of-another-item',
    summary: 'With reasoning, text deltas have the item_id and output_index of the reasoning item.',
    breaks: ['V3-SSE-13', 'V3-SSE-18'],
    patch: editEvents(
      when(
        isThinking,
        replaceEvents(all(textDelta), (event, events) => [asFirstItem(event, events)]),
      ),
    ),
  },
]

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
