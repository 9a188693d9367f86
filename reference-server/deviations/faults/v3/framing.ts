/** Faults of blocks, lines and bytes of the v3 event stream, and of their delivery (sections 1, 4.3 and 6). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Patch } from '../../../services.ts'
import { textDelta, textDone } from '../../patches/events.ts'
import { joinChunks, type NamedBlock, rechunk, rewriteBlocks } from '../../patches/framing.ts'
import { setAt, toObject } from '../../patches/json.ts'
import { onReply } from '../../patches/replies.ts'
import { ofV3 } from '../../patches/routes.ts'
import { faultTable } from '../../table.ts'

/** Generation time of one block in milliseconds: long enough to show that nothing was sent meanwhile. */
const blockMs = 30

/** Blocks that are sent together, and their generation time, as with a corked socket. */
const batch = { blocks: 9, ms: 400 }
export const streamFramingFaults = faultTable({
  'V3-SSE-01 stream-status-201: An event stream has the status 201.': onReply(ofV3, (reply) =>
    'blocks' in reply ? { ...reply, status: 201 } : reply,
  ),
  'V3-SSE-02 stream-without-event-lines: Blocks omit the event: line: the event name is only in type.':
    rewriteBlocks((block) => `data: ${blockJson(block)}\n\n`),
  'V3-SSE-02 stream-json-over-blocks: The JSON of one delta is split across two blocks.':
    rewriteOneDelta((text, head) => `${head}${text.slice(0, 40)}\n\n${head}${text.slice(40)}\n\n`),
  'V3-SSE-02 stream-data-in-an-array: The data of one delta is wrapped in an array.':
    rewriteOneDelta((text, head) => `${head}[${text}]\n\n`),
  'V3-SSE-02 stream-block-without-data: The block of response.in_progress has no data: line.':
    rewriteBlocks((block) =>
      block.event === 'response.in_progress' ? `event: ${block.event}\n\n` : undefined,
    ),
  // anomalyco/opencode#50871, mnfst/manifest#2053
  'V3-SSE-02 stream-heartbeat-as-data: A heartbeat is sent as a data: line that is not JSON.':
    rewriteBlocks((block, original) =>
      block.event === 'response.in_progress' ? `data: : keepalive\n\n${original}` : undefined,
    ),
  'V3-SSE-03 stream-type-differs: The type of response.output_text.delta events is response.text.delta.':
    rewriteBlocks((block) => {
      if (block.event !== textDelta) return undefined
      const data = setAt(block.data, 'type', 'response.text.delta')
      return `event: ${block.event}\ndata: ${JSON.stringify(data)}\n\n`
    }),
  // leseb/openresponses-gw engine, which misspells response.output_text.annotation.added
  'V3-SSE-03 stream-event-misspelt: The event: line of response.output_text.done is response.output_text_done.':
    rewriteBlocks((block) =>
      block.event === textDone
        ? `event: response.output_text_done\ndata: ${blockJson(block)}\n\n`
        : undefined,
    ),
  // Characters outside Latin-1 become question marks.
  'V3-SSE-26 stream-in-latin-1: The stream is encoded in Latin-1.': rewriteBlocks(
    (_block, original) => Buffer.from(original.toString().replace(/[^\0-\xff]+/g, '?'), 'latin1'),
  ),
  'V3-SSE-26 stream-character-cut: In deltas, every multi-byte character loses its last byte.':
    rewriteBlocks((block, original) =>
      block.event === textDelta ? cutCharacters(original) : undefined,
    ),
  'V3-SSE-30 delivery-first-events-ahead: Events before the first delta are sent at once, all others when the answer is complete.':
    rechunk(ofV3, async function* (chunks) {
      const held: Uint8Array[] = []
      let count = 0
      for await (const chunk of chunks) {
        if (count < 4) yield chunk
        else held.push(chunk)
        count += 1
      }
      await sleep(held.length * blockMs)
      yield Buffer.concat(held)
    }),
  'V3-SSE-30 delivery-in-lumps: An intermediary buffers the stream and forwards it in batches every 0.4 seconds.':
    rechunk(ofV3, (chunks) =>
      joinChunks(chunks, (held) => held.length >= batch.blocks && sleep(batch.ms, true)),
    ),
})
/** Rewrites one delta of the answer, chosen by its sequence number. */
function rewriteOneDelta(write: (json: string, head: string) => string): Patch {
  return rewriteBlocks((block) =>
    block.event === textDelta && Number(toObject(block.data)['sequence_number']) % 10 === 6
      ? write(blockJson(block), `event: ${block.event}\ndata: `)
      : undefined,
  )
}

function blockJson(block: NamedBlock): string {
  return JSON.stringify(block.data)
}

/** Removes the last continuation byte of each multi-byte character. */
function cutCharacters(bytes: Buffer): Buffer {
  const continues = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80
  return bytes.filter((_byte, at) => !continues(at) || continues(at + 1)) as Buffer
}
