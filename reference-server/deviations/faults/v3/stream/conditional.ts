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
  isThinking,
  moveEvents,
  nth,
  setInEvents,
  when,
} from '../../../patches/events.ts'
import { eventFaultTable } from '../../../table.ts'

const isOneShot = ({ settings }: ResponseRun) => !settings.stored
const isCut = ({ finish }: ResponseRun) => finish === 'length'
const isCalling = ({ steps }: ResponseRun) => steps.some(({ type }) => type === 'function_call')

export const conditionalStreamFaults = eventFaultTable({
  'V3-SSE-08': {
    'stream-of-one-shot-without-terminal-event: Only one-shot streams end without a terminal event.':
      when(isOneShot, dropEvents(completed)),
  },
  'V3-SSE-05': {
    'stream-of-one-shot-without-created: Only one-shot streams omit response.created.': when(
      isOneShot,
      dropEvents(created),
    ),
  },
  'V3-SSE-17': {
    'stream-of-one-shot-drops-a-delta: Only one-shot streams omit the last text delta.': when(
      isOneShot,
      dropEvents(nth(textDelta, -1)),
    ),
    'stream-of-cut-answer-drops-a-delta: Only streams truncated by max_tokens omit the last text delta.':
      when(isCut, dropEvents(nth(textDelta, -1))),
    'stream-of-thought-drops-a-delta: Only streams with reasoning omit the last text delta.': when(
      isThinking,
      dropEvents(nth(textDelta, -1)),
    ),
  },
  'V3-SSE-13': {
    'stream-of-cut-answer-leaves-items-open: Only streams truncated by max_tokens omit response.output_item.done.':
      when(isCut, dropEvents(itemDone)),
    'stream-of-call-leaves-it-open: response.output_item.done is omitted for function calls only.':
      when(isCalling, dropEvents(nth(itemDone, 0))),
    'stream-of-search-in-reverse: response.file_search_call.completed is sent before response.file_search_call.in_progress.':
      moveEvents(
        'response.file_search_call.in_progress',
        'after',
        'response.file_search_call.completed',
      ),
  },
  'V3-SSE-12': {
    'stream-of-thought-adds-its-answer-late: Only streams with reasoning send response.output_item.added of the answer after its first delta.':
      when(isThinking, moveEvents(nth(itemAdded, -1), 'after', textDelta)),
  },
  'V3-SSE-14': {
    'stream-of-call-counts-items-anew: The answer after a function call has the output_index of the call.':
      when(
        isCalling,
        setInEvents(all(itemAdded, partAdded, textDelta), {
          output_index: (old: number) => Math.max(0, old - 1),
        }),
      ),
  },
})
