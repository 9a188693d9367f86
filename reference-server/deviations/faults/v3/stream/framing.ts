/** Faults of blocks, lines and bytes of the v3 event stream (section 6, 1 and 4.3). */
import type { Patch } from '../../../../services.ts'
import { type NamedBlock, onV3Blocks, rewriteBlocks } from '../../../patches/framing.ts'
import { setAt } from '../../../patches/json.ts'
import type { Fault } from '../../../types.ts'

/** Rewrites one delta of the answer, chosen by its sequence number. */
function rewriteOneDelta(
  write: (block: NamedBlock, original: string) => Uint8Array | string,
): Patch {
  return rewriteBlocks((block, original) =>
    block.event === 'response.output_text.delta' && sequenceNumber(block) % 10 === 6
      ? write(block, original.toString())
      : undefined,
  )
}

function sequenceNumber({ data }: NamedBlock): number {
  return typeof data === 'object' && 'sequence_number' in data ? Number(data.sequence_number) : -1
}

function blockJson(block: NamedBlock): string {
  return JSON.stringify(block.data)
}

/** Characters outside Latin-1 become question marks. */
function encodeLatin1(text: string): Buffer {
  return Buffer.from(text.replace(/[^\0-\xff]+/g, '?'), 'latin1')
}

export const streamFramingFaults: readonly Fault[] = [
  {
    name: 'stream-media-type-json',
    summary: 'An event stream has the Content-Type application/json.',
    breaks: ['V3-SSE-01'],
    patch: onV3Blocks((blocks) => blocks, { 'content-type': 'application/json' }),
  },
  {
    name: 'stream-media-type-plain',
    summary: 'An event stream has the Content-Type text/plain.',
    breaks: ['V3-SSE-01'],
    patch: onV3Blocks((blocks) => blocks, { 'content-type': 'text/plain; charset=utf-8' }),
  },
  {
    name: 'stream-status-201',
    summary: 'An event stream has the status 201.',
    breaks: ['V3-SSE-01'],
    patch: (services) => ({
      ...services,
      outgoing: (call, reply) => {
        const original = services.outgoing(call, reply)
        const isStream = 'blocks' in original && call.path.startsWith('/api/v3/')
        return isStream ? { ...original, status: 201 } : original
      },
    }),
  },
  {
    name: 'stream-asked-for-in-vain',
    summary: 'A generation with stream: true returns a non-streaming response.',
    breaks: ['V3-SSE-01'],
    patch: (services) => ({
      ...services,
      incoming: (call) => {
        const original = services.incoming(call)
        return call.path === '/api/v3/message/generate'
          ? {
              ...original,
              body: setAt(original.body, 'stream', (on: unknown) => (on === true ? false : on)),
            }
          : original
      },
    }),
  },
  {
    name: 'stream-without-event-lines',
    summary: 'Blocks omit the event: line: the event name is only in type.',
    breaks: ['V3-SSE-02'],
    patch: rewriteBlocks((block) => `data: ${blockJson(block)}\n\n`),
  },
  {
    name: 'stream-delta-without-event-line',
    summary: 'Only the blocks of response.output_text.delta omit the event: line.',
    breaks: ['V3-SSE-02'],
    patch: rewriteBlocks((block) =>
      block.event === 'response.output_text.delta' ? `data: ${blockJson(block)}\n\n` : undefined,
    ),
  },
  {
    name: 'stream-event-in-capitals',
    summary: 'The event field is written Event:, although field names are case-sensitive.',
    breaks: ['V3-SSE-02'],
    patch: rewriteBlocks((block) => `Event: ${block.event}\ndata: ${blockJson(block)}\n\n`),
  },
  {
    name: 'stream-space-before-the-colon',
    summary: 'The event field is written "event :", with a space before the colon.',
    breaks: ['V3-SSE-02'],
    patch: rewriteBlocks((block) => `event : ${block.event}\ndata: ${blockJson(block)}\n\n`),
  },
  {
    name: 'stream-two-event-lines',
    summary: 'Every block has an additional line event: message before its event: line.',
    breaks: ['V3-SSE-02'],
    patch: rewriteBlocks(
      (block) => `event: message\nevent: ${block.event}\ndata: ${blockJson(block)}\n\n`,
    ),
  },
  {
    name: 'stream-event-line-empty',
    summary: 'The event: line of one delta is empty.',
    breaks: ['V3-SSE-02'],
    patch: rewriteOneDelta((block) => `event:\ndata: ${blockJson(block)}\n\n`),
  },
  {
    name: 'stream-json-over-blocks',
    summary: 'The JSON of one delta is split across two blocks.',
    breaks: ['V3-SSE-02'],
    patch: rewriteOneDelta((block) => {
      const text = blockJson(block)
      const head = `event: ${block.event}\ndata: `
      return `${head}${text.slice(0, 40)}\n\n${head}${text.slice(40)}\n\n`
    }),
  },
  {
    name: 'stream-json-over-bare-lines',
    summary:
      'The JSON of response.completed is pretty-printed, but only its first line is a data: line.',
    breaks: ['V3-SSE-02'],
    patch: rewriteBlocks((block) =>
      block.event === 'response.completed'
        ? `event: ${block.event}\ndata: ${JSON.stringify(block.data, null, 2)}\n\n`
        : undefined,
    ),
  },
  {
    name: 'stream-json-cut',
    summary: 'The JSON of one delta lacks its closing brace.',
    breaks: ['V3-SSE-02'],
    patch: rewriteOneDelta(
      (block) => `event: ${block.event}\ndata: ${blockJson(block).slice(0, -1)}\n\n`,
    ),
  },
  {
    name: 'stream-json-of-python',
    summary: 'The data of response.in_progress is a Python dict literal instead of JSON.',
    breaks: ['V3-SSE-02'],
    patch: rewriteBlocks((block) =>
      block.event === 'response.in_progress'
        ? `event: ${block.event}\ndata: ${blockJson(block).replaceAll('"', "'").replaceAll('null', 'None')}\n\n`
        : undefined,
    ),
  },
  {
    name: 'stream-data-in-an-array',
    summary: 'The data of one delta is wrapped in an array.',
    breaks: ['V3-SSE-02'],
    patch: rewriteOneDelta((block) => `event: ${block.event}\ndata: [${blockJson(block)}]\n\n`),
  },
  {
    name: 'stream-block-without-data',
    summary: 'The block of response.in_progress has no data: line.',
    breaks: ['V3-SSE-02'],
    patch: rewriteBlocks((block) =>
      block.event === 'response.in_progress' ? `event: ${block.event}\n\n` : undefined,
    ),
  },
  {
    name: 'stream-heartbeat-as-data',
    summary: 'A heartbeat is sent as a data: line that is not JSON.',
    breaks: ['V3-SSE-02'],
    precedent: 'anomalyco/opencode#50871, mnfst/manifest#2053',
    patch: rewriteBlocks((block, original) =>
      block.event === 'response.in_progress' ? `data: : keepalive\n\n${original}` : undefined,
    ),
  },
  {
    name: 'stream-type-differs',
    summary: 'The type of response.output_text.delta events is response.text.delta.',
    breaks: ['V3-SSE-03'],
    patch: rewriteBlocks((block) => {
      if (block.event !== 'response.output_text.delta') return undefined
      const data = setAt(block.data, 'type', 'response.text.delta')
      return `event: ${block.event}\ndata: ${JSON.stringify(data)}\n\n`
    }),
  },
  {
    name: 'stream-event-misspelt',
    summary: 'The event: line of response.output_text.done is response.output_text_done.',
    breaks: ['V3-SSE-03'],
    precedent:
      'leseb/openresponses-gw engine, which misspells response.output_text.annotation.added',
    patch: rewriteBlocks((block) =>
      block.event === 'response.output_text.done'
        ? `event: response.output_text_done\ndata: ${blockJson(block)}\n\n`
        : undefined,
    ),
  },
  {
    name: 'stream-all-events-called-message',
    summary: 'The event: line of every block is message.',
    breaks: ['V3-SSE-03'],
    patch: rewriteBlocks((block) => `event: message\ndata: ${blockJson(block)}\n\n`),
  },
  {
    name: 'stream-type-missing',
    summary: 'The data of events omits type.',
    breaks: ['V3-SSE-04'],
    precedent: '7836246/cursor2api#114',
    patch: rewriteBlocks((block) => {
      return `event: ${block.event}\ndata: ${JSON.stringify(setAt(block.data, 'type', undefined))}\n\n`
    }),
  },
  {
    name: 'stream-type-missing-at-the-end',
    summary: 'Only the data of response.completed omits type.',
    breaks: ['V3-SSE-04'],
    patch: rewriteBlocks((block) =>
      block.event === 'response.completed'
        ? `event: ${block.event}\ndata: ${JSON.stringify(setAt(block.data, 'type', undefined))}\n\n`
        : undefined,
    ),
  },
  {
    name: 'stream-in-latin-1',
    summary: 'The stream is encoded in Latin-1.',
    breaks: ['V3-SSE-26'],
    patch: rewriteBlocks((_block, original) => encodeLatin1(original.toString())),
  },
  {
    name: 'stream-character-cut',
    summary: 'In deltas, every multi-byte character loses its last byte.',
    breaks: ['V3-SSE-26'],
    patch: rewriteBlocks((block, original) =>
      block.event === 'response.output_text.delta' ? cutCharacters(original) : undefined,
    ),
  },
]

/** Removes the last continuation byte of each multi-byte character. */
function cutCharacters(bytes: Buffer): Buffer {
  const continues = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80
  return bytes.filter((_byte, at) => !continues(at) || continues(at + 1)) as Buffer
}
