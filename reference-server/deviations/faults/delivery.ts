/** Faults of when events are sent: while the answer is made, or at its end (V3-SSE-30). */
import type { SseBlock } from '../../events/sse.ts'
import type { Refit } from '../../parts.ts'
import { blocks } from '../streams.ts'
import type { Fault } from '../types.ts'

/** Long answers take most of a second, so that it shows when their events are sent. */
const slow: Refit = (parts) => ({
  ...parts,
  timing: (count, pace) =>
    parts.timing(count, count < 40 ? pace : { ttftMs: 20, gapMs: 700 / count, jitter: 0 }),
})

/** The first events go out at once, the others when the last is there. */
async function* bunched(all: AsyncIterable<SseBlock>, first: number): AsyncGenerator<SseBlock> {
  const held: SseBlock[] = []
  let sent = 0
  for await (const block of all) {
    if (sent < first) yield block
    else held.push(block)
    sent += 1
  }
  yield* held
}

function bunchedAfter(first: number): Refit {
  return (parts) => blocks((all) => bunched(all, first))(slow(parts))
}

export const deliveryFaults: readonly Fault[] = [
  {
    name: 'delivery-all-at-the-end',
    summary: 'The stream is buffered, and sent in one go when the answer is complete.',
    breaks: ['V3-SSE-30'],
    refit: bunchedAfter(0),
  },
  {
    name: 'delivery-first-events-ahead',
    summary: 'The events before the first delta are sent at once, all others at the end.',
    breaks: ['V3-SSE-30'],
    refit: bunchedAfter(4),
  },
  {
    name: 'delivery-one-delta-ahead',
    summary: 'The first delta is sent at once, all others at the end.',
    breaks: ['V3-SSE-30'],
    refit: bunchedAfter(5),
  },
]
