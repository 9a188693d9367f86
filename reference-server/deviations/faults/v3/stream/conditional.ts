/** Faults of one kind of stream: one-shot, cut, with reasoning, with calls (section 6). */
import type { ResponseRun } from '../../../../events/run.ts'
import {
  completed,
  created,
  itemAdded,
  itemDone,
  partAdded,
  textDelta,
} from '../../../patches/event-names.ts'
import {
  all,
  dropEvents,
  editEvents,
  isThinking,
  moveEvents,
  nth,
  replaceEvents,
  setInEvents,
  when,
} from '../../../patches/events.ts'
import type { Fault } from '../../../types.ts'

const isOneShot = ({ settings }: ResponseRun) => !settings.stored
const isCut = ({ finish }: ResponseRun) => finish === 'length'
const isCalling = ({ steps }: ResponseRun) => steps.some(({ type }) => type === 'function_call')

export const conditionalStreamFaults: readonly Fault[] = [
  {
    name: 'stream-of-one-shot-without-terminal-event',
    summary: 'Only one-shot streams end without a terminal event.',
    breaks: ['V3-SSE-08'],
    patch: editEvents(when(isOneShot, dropEvents(completed))),
  },
  {
    name: 'stream-of-one-shot-without-created',
    summary: 'Only one-shot streams begin without response.created.',
    breaks: ['V3-SSE-05'],
    patch: editEvents(when(isOneShot, dropEvents(created))),
  },
  {
    name: 'stream-of-one-shot-drops-a-delta',
    summary: 'Only one-shot streams drop the last delta.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(
      when(
        isOneShot,
        replaceEvents(nth(textDelta, -1), () => []),
      ),
    ),
  },
  {
    name: 'stream-of-cut-answer-drops-a-delta',
    summary: 'Only an answer that max_tokens cuts loses its last delta.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(
      when(
        isCut,
        replaceEvents(nth(textDelta, -1), () => []),
      ),
    ),
  },
  {
    name: 'stream-of-cut-answer-leaves-items-open',
    summary: 'Only an answer that max_tokens cuts lacks the response.output_item.done of its item.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(when(isCut, dropEvents(itemDone))),
  },
  {
    name: 'stream-of-thought-drops-a-delta',
    summary: 'Only with reasoning, the last delta of the text is dropped.',
    breaks: ['V3-SSE-17'],
    patch: editEvents(
      when(
        isThinking,
        replaceEvents(nth(textDelta, -1), () => []),
      ),
    ),
  },
  {
    name: 'stream-of-thought-adds-its-answer-late',
    summary: 'Only with reasoning, the item of the answer is added after its first delta.',
    breaks: ['V3-SSE-12'],
    patch: editEvents(when(isThinking, moveEvents(nth(itemAdded, -1), 'after', textDelta))),
  },
  {
    name: 'stream-of-call-leaves-it-open',
    summary: 'Only of a call, response.output_item.done is left out.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(
      when(
        isCalling,
        replaceEvents(nth(itemDone, 0), () => []),
      ),
    ),
  },
  {
    name: 'stream-of-call-counts-items-anew',
    summary: 'The answer after a call has the output_index of the call.',
    breaks: ['V3-SSE-14'],
    patch: editEvents(
      when(
        isCalling,
        setInEvents(all(itemAdded, partAdded, textDelta), 'output_index', (old: number) =>
          Math.max(0, old - 1),
        ),
      ),
    ),
  },
  {
    name: 'stream-of-search-in-reverse',
    summary: 'A search is completed before it begins.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(
      moveEvents(
        all('response.file_search_call.in_progress'),
        'after',
        'response.file_search_call.completed',
      ),
    ),
  },
]
