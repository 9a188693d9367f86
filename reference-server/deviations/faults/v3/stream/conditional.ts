/** Faults of one kind of stream: one-shot, truncated, with reasoning, with calls (section 6). */
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
    summary: 'Only one-shot streams omit response.created.',
    breaks: ['V3-SSE-05'],
    patch: editEvents(when(isOneShot, dropEvents(created))),
  },
  {
    name: 'stream-of-one-shot-drops-a-delta',
    summary: 'Only one-shot streams omit the last text delta.',
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
    summary: 'Only streams truncated by max_tokens omit the last text delta.',
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
    summary: 'Only streams truncated by max_tokens omit response.output_item.done.',
    breaks: ['V3-SSE-13'],
    patch: editEvents(when(isCut, dropEvents(itemDone))),
  },
  {
    name: 'stream-of-thought-drops-a-delta',
    summary: 'Only streams with reasoning omit the last text delta.',
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
    summary:
      'Only streams with reasoning send response.output_item.added of the answer after its first delta.',
    breaks: ['V3-SSE-12'],
    patch: editEvents(when(isThinking, moveEvents(nth(itemAdded, -1), 'after', textDelta))),
  },
  {
    name: 'stream-of-call-leaves-it-open',
    summary: 'response.output_item.done is omitted for function calls only.',
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
    summary: 'The answer after a function call has the output_index of the call.',
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
    summary:
      'response.file_search_call.completed is sent before response.file_search_call.in_progress.',
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
