/** Faults of the delivery of events: buffering until the answer is complete (V3-SSE-30). */
import { setTimeout as sleep } from 'node:timers/promises'
import { rechunkV3 } from '../../../patches/framing.ts'
import { faultTable } from '../../../table.ts'

/** Generation time of one block in milliseconds: long enough to show that nothing was sent meanwhile. */
const blockMs = 30

/** Sends the first blocks at once, and all others together after the last one. */
async function* bufferRest(chunks: AsyncIterable<Uint8Array>, ahead: number) {
  const held: Uint8Array[] = []
  let count = 0
  for await (const chunk of chunks) {
    if (count < ahead) yield chunk
    else held.push(chunk)
    count += 1
  }
  await sleep(held.length * blockMs)
  yield Buffer.concat(held)
}

/** Blocks that are sent together, and their generation time, as with a corked socket. */
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

export const streamDeliveryFaults = faultTable({
  'V3-SSE-30': {
    'delivery-all-at-the-end: The stream is buffered and sent when the answer is complete.':
      rechunkV3((chunks) => bufferRest(chunks, 0)),
    'delivery-first-events-ahead: Events before the first delta are sent at once, all others when the answer is complete.':
      rechunkV3((chunks) => bufferRest(chunks, 4)),
    'delivery-in-lumps: An intermediary buffers the stream and forwards it in batches every 0.4 seconds.':
      rechunkV3(sendInBatches),
  },
})
