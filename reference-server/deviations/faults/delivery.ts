/** Faults of when events are sent: while the answer is made, or at its end (V3-SSE-30). */
import { setTimeout as sleep } from 'node:timers/promises'
import { pieces } from '../streams.ts'
import type { Fault } from '../types.ts'

/** As long as an answer takes where it shows that nothing of it was sent meanwhile. */
const answerMs = 800

/** The first blocks go out at once, the others in one piece when the last is there. */
async function* atTheEnd(chunks: AsyncIterable<Uint8Array>, ahead: number) {
  const held: Uint8Array[] = []
  let seen = 0
  for await (const chunk of chunks) {
    if (seen < ahead) yield chunk
    else held.push(chunk)
    seen += 1
  }
  await sleep(answerMs)
  yield Buffer.concat(held)
}

export const deliveryFaults: readonly Fault[] = [
  {
    name: 'delivery-all-at-the-end',
    summary: 'The stream is buffered, and sent in one go when the answer is complete.',
    breaks: ['V3-SSE-30'],
    refit: pieces((chunks) => atTheEnd(chunks, 0)),
  },
  {
    name: 'delivery-first-events-ahead',
    summary: 'The events before the first delta are sent at once, all others at the end.',
    breaks: ['V3-SSE-30'],
    refit: pieces((chunks) => atTheEnd(chunks, 4)),
  },
]
