/** Faults of when events are sent: while the answer is made, or at its end (V3-SSE-30). */
import { setTimeout as sleep } from 'node:timers/promises'
import { rechunkV3 } from '../../../patches/framing.ts'
import type { Fault } from '../../../types.ts'

/** Time to make one block, in milliseconds: long enough to show that nothing was sent meanwhile. */
const blockMs = 30

/** The first blocks go out at once, the others in one piece when the last is there. */
async function* bufferRest(chunks: AsyncIterable<Uint8Array>, ahead: number) {
  const held: Uint8Array[] = []
  let seen = 0
  for await (const chunk of chunks) {
    if (seen < ahead) yield chunk
    else held.push(chunk)
    seen += 1
  }
  await sleep(held.length * blockMs)
  yield Buffer.concat(held)
}

/** Blocks that are sent together, and what they take to be made: as behind a socket that is corked. */
const batch = { blocks: 9, ms: 400 }

async function* sendInBatches(chunks: AsyncIterable<Uint8Array>) {
  let held: Uint8Array[] = []
  for await (const chunk of chunks) {
    held.push(chunk)
    if (held.length < batch.blocks) continue
    await sleep(batch.ms)
    yield Buffer.concat(held)
    held = []
  }
  if (held.length > 0) yield Buffer.concat(held)
}

export const streamDeliveryFaults: readonly Fault[] = [
  {
    name: 'delivery-all-at-the-end',
    summary: 'The stream is buffered, and sent in one go when the answer is complete.',
    breaks: ['V3-SSE-30'],
    patch: rechunkV3((chunks) => bufferRest(chunks, 0)),
  },
  {
    name: 'delivery-first-events-ahead',
    summary: 'The events before the first delta are sent at once, all others at the end.',
    breaks: ['V3-SSE-30'],
    patch: rechunkV3((chunks) => bufferRest(chunks, 4)),
  },
  {
    name: 'delivery-in-lumps',
    summary: 'A hop gathers what the model makes in 0.4 seconds, and passes it on at once.',
    breaks: ['V3-SSE-30'],
    patch: rechunkV3(sendInBatches),
  },
]
