/** Faults of some streams alone: of one-shot, of cut answers, with reasoning, with calls of tools. */
import type { Run } from '../../../events/run.ts'
import { become, every, moved, set, stream, the, thinking, where, without } from '../../streams.ts'
import type { Fault } from '../../types.ts'
import { added, completed, created, delta, done, partAdded } from './names.ts'

const oneShot = ({ settings }: Run) => !settings.stored
const cut = ({ finish }: Run) => finish === 'length'
const calling = ({ steps }: Run) => steps.some(({ type }) => type === 'function_call')

export const someStreamFaults: readonly Fault[] = [
  {
    name: 'stream-of-one-shot-without-terminal-event',
    summary: 'Only one-shot streams end without a terminal event.',
    breaks: ['V3-SSE-08'],
    refit: stream(where(oneShot, without(completed))),
  },
  {
    name: 'stream-of-one-shot-without-created',
    summary: 'Only one-shot streams begin without response.created.',
    breaks: ['V3-SSE-05'],
    refit: stream(where(oneShot, without(created))),
  },
  {
    name: 'stream-of-one-shot-drops-a-delta',
    summary: 'Only one-shot streams drop the last delta.',
    breaks: ['V3-SSE-17'],
    refit: stream(
      where(
        oneShot,
        become(the(delta, -1), () => []),
      ),
    ),
  },
  {
    name: 'stream-of-cut-answer-drops-a-delta',
    summary: 'Only an answer that max_tokens cuts loses its last delta.',
    breaks: ['V3-SSE-17'],
    refit: stream(
      where(
        cut,
        become(the(delta, -1), () => []),
      ),
    ),
  },
  {
    name: 'stream-of-cut-answer-leaves-items-open',
    summary: 'Only an answer that max_tokens cuts lacks the response.output_item.done of its item.',
    breaks: ['V3-SSE-13'],
    refit: stream(where(cut, without(done))),
  },
  {
    name: 'stream-of-thought-drops-a-delta',
    summary: 'Only with reasoning, the last delta of the text is dropped.',
    breaks: ['V3-SSE-17'],
    refit: stream(
      where(
        thinking,
        become(the(delta, -1), () => []),
      ),
    ),
  },
  {
    name: 'stream-of-thought-adds-its-answer-late',
    summary: 'Only with reasoning, the item of the answer is added after its first delta.',
    breaks: ['V3-SSE-12'],
    refit: stream(where(thinking, moved(the(added, -1), 'behind', delta))),
  },
  {
    name: 'stream-of-call-leaves-it-open',
    summary: 'Only of a call, response.output_item.done is left out.',
    breaks: ['V3-SSE-13'],
    refit: stream(
      where(
        calling,
        become(the(done, 0), () => []),
      ),
    ),
  },
  {
    name: 'stream-of-call-counts-items-anew',
    summary: 'The answer after a call has the output_index of the call.',
    breaks: ['V3-SSE-14'],
    refit: stream(
      where(
        calling,
        set(every(added, partAdded, delta), 'output_index', (old: number) => Math.max(0, old - 1)),
      ),
    ),
  },
  {
    name: 'stream-of-search-in-reverse',
    summary: 'A search is completed before it begins.',
    breaks: ['V3-SSE-13'],
    refit: stream(
      moved(
        every('response.file_search_call.in_progress'),
        'behind',
        'response.file_search_call.completed',
      ),
    ),
  },
]
