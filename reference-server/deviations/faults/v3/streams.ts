/** Faults of blocks, lines and bytes of the v3 event stream, and of their delivery (sections 1, 4.3 and 6). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunStep } from '../../../events/run.ts'
import type { ResponseEvent, SseBlock } from '../../../events/sequence.ts'
import type { Patch } from '../../../services.ts'
import {
  all,
  completed,
  editEvents,
  editRawEvents,
  editRun,
  finalEvents,
  isThinking,
  itemDone,
  nth,
  partAdded,
  partDone,
  replaceEvents,
  setInEvents,
  terminalEvents,
  textDelta,
  textDone,
  when,
} from '../../patches/events.ts'
import { joinChunks, type NamedBlock, rechunk, rewriteBlocks } from '../../patches/framing.ts'
import { setAt, toObject } from '../../patches/json.ts'
import { onBlocks, onReply, thenDone } from '../../patches/replies.ts'
import { ofV3 } from '../../patches/requests.ts'
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

const isFinal = (block: SseBlock) => terminalEvents.includes(block.event ?? '')
const partEvents = all(partAdded, textDelta, textDone, partDone)
const outOfRange = 100_000

export const streamEventFaults = faultTable({
  'V3-SSE-08 stream-cut-after-the-end: The connection is aborted after the terminal event, without the terminating chunk.':
    onBlocks(ofV3, async function* (blocks) {
      yield* blocks
      throw new DOMException('cut', 'AbortError')
    }),
  'V3-SSE-08 stream-last-block-open: The block of the terminal event is not terminated by an empty line.':
    rewriteBlocks((block, original) => (isFinal(block) ? original.subarray(0, -1) : undefined)),
  'V3-SSE-08 stream-last-line-open: The data: line of the terminal event is not terminated by a line ending.':
    rewriteBlocks((block, original) => (isFinal(block) ? original.subarray(0, -2) : undefined)),
  'V3-SSE-29 stream-done-marker-twice: data: [DONE] is sent twice.': onBlocks(ofV3, (blocks) =>
    thenDone(thenDone(blocks)),
  ),
  'V3-SSE-29 stream-done-marker-early: data: [DONE] is sent before the terminal event.': onBlocks(
    ofV3,
    async function* (blocks) {
      for await (const block of blocks) {
        if (isFinal(block)) yield { data: '[DONE]' } as const
        yield block
      }
    },
  ),
  'V3-SSE-23 stream-arguments-no-json: The arguments of a function call are a Python dict literal instead of JSON in all events.':
    editRun((run) => ({ ...run, steps: run.steps.map(withPythonQuotes) })),
  'V3-SSE-28 stream-annotation-outside: The index of a citation exceeds the length of its text.':
    editEvents(
      setInEvents('response.output_text.annotation.added', { 'annotation.index': outOfRange }),
      setInEvents(partDone, { 'part.annotations.*.index': outOfRange }),
      setInEvents(itemDone, { 'item.content.*.annotations.*.index': outOfRange }),
      setInEvents(finalEvents, {
        'response.output.*.content.*.annotations.*.index': outOfRange,
      }),
    ),
  'V3-SSE-07 stream-number-repeated-once: One event repeats the sequence_number of the previous event.':
    editRawEvents((events) =>
      events.map((event, at) => ({ ...event, sequence_number: at > 6 ? at - 1 : at })),
    ),
  'V3-SSE-13 V3-SSE-18 stream-delta-of-another-item: With reasoning, text deltas have the item_id and output_index of the reasoning item.':
    editEvents(
      when(
        isThinking,
        replaceEvents(textDelta, (event, events) => {
          const { item_id, output_index } = { ...events.find(({ type }) => type === partAdded) }
          return [{ ...event, item_id, output_index }]
        }),
      ),
    ),
  'V3-SSE-08 stream-completed-twice: The terminal event is sent twice.': editEvents(
    replaceEvents(finalEvents, (event) => [event, event]),
  ),
  // 7836246/cursor2api#116
  'V3-SSE-09 stream-response-not-nested: The members of the final response are next to type instead of in response.':
    editEvents(
      replaceEvents(completed, ({ response, ...event }) => [{ ...Object(response), ...event }]),
    ),
  // vllm-project/vllm#45742
  'V3-SSE-16 stream-parts-counted-on: content_index continues from the reasoning item to the answer item.':
    editEvents(
      when(
        isThinking,
        replaceEvents(partEvents, (event) => [
          Number(event['output_index']) > 0 ? { ...event, content_index: 1 } : event,
        ]),
      ),
    ),
  'V3-SSE-17 stream-deltas-cumulative: Each text delta contains all the text so far.':
    editEvents(joinDeltas),
  'V3-SSE-25 stream-delta-null: An event with a null delta precedes the first text delta.':
    editEvents(replaceEvents(nth(textDelta, 0), (event) => [{ ...event, delta: null }, event])),
  'V3-SSE-27 stream-surrogates-halved: A surrogate pair is split across two deltas as JSON escapes.':
    editEvents(replaceEvents(textDelta, splitSurrogates)),
})

/** Each delta contains those before it. */
function joinDeltas(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
  let text = ''
  return events.map((event) => {
    if (event.type !== textDelta) return event
    text += event['delta']
    return { ...event, delta: text }
  })
}

function splitSurrogates(event: ResponseEvent): readonly ResponseEvent[] {
  const text = String(event['delta'])
  const at = text.search(/[\ud800-\udbff][\udc00-\udfff]/)
  if (at < 0) return [event]
  return [
    { ...event, delta: text.slice(0, at + 1) },
    { ...event, delta: text.slice(at + 1) },
  ]
}

function withPythonQuotes(step: RunStep): RunStep {
  if (step.type !== 'function_call') return step
  return { ...step, fragments: step.fragments.map((text) => text.replaceAll('"', "'")) }
}
