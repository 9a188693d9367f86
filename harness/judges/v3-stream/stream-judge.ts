import { terminalEvents } from '../../../contract/event-names.ts'
import type { Ending, Judgement, WireChunk } from '../../../contract/index.ts'
import { asObject, isObject } from '../../../contract/json.ts'
import { observeItems } from '../bodies/v3.ts'
import { judgeOutput } from '../final-response.ts'
import { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import { AlikeBlocks } from '../sse/alike.ts'
import { type Block, SseScanner } from '../sse/scanner.ts'
import type { ContentKind, StreamContents, StreamContext, StreamJudge } from '../streams.ts'
import { judgeUsage } from '../usage.ts'
import { judgeAgreement, judgeAnnotations } from './agreement.ts'
import { AnswerJudge, DeltaJudge } from './answer.ts'
import { type EventJudge, holdsAll, type ResponseEvent, type StreamOutcome } from './event.ts'
import { FramingJudge, SequenceJudge } from './framing.ts'
import { judgeOutputs } from './outputs.ts'
import { SnapshotJudge, TerminalJudge } from './snapshots.ts'
import { StructureJudge } from './structure.ts'

/** Judges the event stream of a v3 reply (section 6; docs/internals/wire-contract.md). */
export class ResponsesJudge implements StreamJudge {
  readonly #collector = new FindingCollector()
  readonly #scanner = new SseScanner()
  readonly #context: StreamContext
  readonly #framing = new FramingJudge(this.#collector)
  readonly #terminal = new TerminalJudge(this.#collector)
  readonly #structure = new StructureJudge(this.#collector)
  readonly #judges: readonly EventJudge[]
  readonly #contents: StreamContents | undefined
  readonly #alike = new AlikeBlocks()
  /** The last event, if it is a delta with nothing but its text. */
  #delta: ResponseEvent | undefined
  /** An event could not be read: findings about the whole stream are no longer possible. */
  #lost: 'nothing' | 'an event' | 'perhaps the end' = 'nothing'

  constructor(context: StreamContext, contents?: StreamContents) {
    this.#contents = contents
    const structure = this.#structure
    const deltas = new DeltaJudge(this.#collector, context.request)
    this.#context = context
    this.#judges = [
      new SnapshotJudge(this.#collector),
      new SequenceJudge(this.#collector),
      structure,
      deltas,
      new AnswerJudge(this.#collector, { structure, deltas }, context),
      new OpenQuestionObserver(this.#collector, structure, context.request),
    ]
  }

  push({ bytes, atMs }: WireChunk): void {
    const from = this.#alikeAtStart(bytes)
    if (from === bytes.length) return
    const rest = from === 0 ? bytes : bytes.subarray(from)
    const wasIdle = this.#scanner.idle
    const blocks = this.#scanner.feed(rest, atMs)
    for (const block of blocks) this.#block(block)
    if (blocks.length > 0) this.#learn(wasIdle && blocks.length === 1 ? rest : undefined)
  }

  end(ending: Ending): Judgement {
    const rest = this.#scanner.rest(ending.atMs)
    this.#terminal.end(ending, rest, this.#lost === 'perhaps the end')
    if (this.#lost === 'nothing') this.#judgeWhole(ending)
    else this.#structure.settle()
    return this.#collector.judgement(this.#context.exchanges)
  }

  /** Handles deltas that differ from the last one only in text and number, without parsing them. */
  #alikeAtStart(bytes: Uint8Array): number {
    const delta = this.#delta
    if (!this.#alike.armed || delta === undefined || !this.#scanner.idle) return 0
    const kind = contentKindOf(delta.name)
    let from = 0
    while (from < bytes.length) {
      const end = this.#alike.match(bytes, from)
      if (end < 0) break
      const { text, number } = this.#alike
      const index = this.#scanner.dispatched
      this.#scanner.skip(end - from)
      this.#countEvent()
      if (kind !== undefined) this.#contents?.add(kind, text)
      for (const judge of this.#judges) judge.again(text, number, index)
      from = end
    }
    return from
  }

  #learn(bytes: Uint8Array | undefined): void {
    const delta = this.#delta?.json
    if (bytes === undefined || delta === undefined || !this.#scanner.idle) {
      this.#alike.forget()
      return
    }
    const number = delta['sequence_number']
    const text = String(delta['delta'])
    this.#alike.learn(bytes, 'delta', text, typeof number === 'number' ? number : undefined)
  }

  #countEvent(): void {
    if (this.#contents !== undefined) this.#contents.events += 1
  }

  #block(block: Block): void {
    this.#delta = undefined
    if (block.data !== null) this.#countEvent()
    if (block.data?.trim() === '[DONE]') {
      this.#terminal.marker(block.index)
      return
    }
    if (block.data === null && block.names === 0 && block.invalidAt === null) return
    if (!this.#terminal.accepts(block.name)) {
      this.#terminal.after(block)
      // Events after the end are missing before it; that is the same fault.
      this.#lost = 'an event'
      return
    }
    const { event, lost } = this.#framing.read(block)
    if (lost) this.#lose(block)
    if (event === undefined) return
    if (this.#contents !== undefined) readEvent(this.#contents, event)
    this.#terminal.see(event)
    if (this.#lost !== 'nothing') return
    for (const judge of this.#judges) judge.event(event)
    if (isDelta(event)) this.#delta = event
  }

  #lose({ name, index }: Block): void {
    this.#terminal.seeLost(name, index)
    // A name with a byte that is not UTF-8 may be that of any event.
    const unnamed = name === null || name.includes('\ufffd')
    this.#lost = unnamed || this.#lost === 'perhaps the end' ? 'perhaps the end' : 'an event'
  }

  #judgeWhole(ending: Ending): void {
    const { name, event, final } = this.#terminal
    const ended = ending.kind === 'complete' && name !== undefined
    const outcome: StreamOutcome = { final, finalEvent: event, terminal: name, ended }
    for (const judge of this.#judges) judge.end(outcome)
    const { items, speaksFullGrammar } = this.#structure
    judgeAgreement(this.#collector, items, outcome)
    judgeOutputs(this.#collector, items, outcome)
    judgeAnnotations(this.#collector, items, outcome, speaksFullGrammar)
    if (final === undefined) return
    judgeUsage(this.#collector, 'V3-SSE-22', final, this.#context.request, event)
    if (
      holdsAll(outcome) &&
      Array.isArray(final['output']) &&
      !this.#collector.isBroken('V3-SSE-17')
    ) {
      judgeOutput(this.#collector, final, event)
    }
  }
}

/** A delta with text that does not end the stream; its number is valid or absent. */
function isDelta({ name, json }: ResponseEvent): boolean {
  const { delta, sequence_number: number } = json
  if (typeof delta !== 'string' || delta === '' || contentKindOf(name) === undefined) return false
  return number === undefined || Number.isSafeInteger(number)
}

/** Adds the contents of an event of a v3 stream. */
export function readEvent(contents: StreamContents, { name, json }: ResponseEvent): void {
  const kind = contentKindOf(name)
  if (kind !== undefined) {
    const { delta } = json
    if (typeof delta === 'string' && delta !== '') contents.add(kind, delta)
    return
  }
  const response = asObject(json['response'])
  if (response !== undefined) {
    if (typeof response['id'] === 'string') contents.id ??= response['id']
    if (isObject(response['usage'])) contents.usage = response['usage']
  }
  if (name === 'error') contents.failure ??= show(json['error'] ?? json['message'] ?? json)
  if (name === 'response.failed') contents.failure ??= show(response?.['error'] ?? name)
  if ((terminalEvents as readonly string[]).includes(name)) contents.isTerminal = true
}

/** Undefined for events without generated content. */
export function contentKindOf(name: string): ContentKind | undefined {
  return kinds[name]
}

const kinds: Readonly<Record<string, ContentKind>> = {
  'response.output_text.delta': 'text',
  'response.reasoning_text.delta': 'reasoning',
  'response.reasoning_summary_text.delta': 'reasoning',
  'response.refusal.delta': 'refusal',
  'response.function_call_arguments.delta': 'tool',
}

/** Events that the document names (section 6); all others are further ones. */
const named: ReadonlySet<string> = new Set([
  'response.created',
  'response.output_item.added',
  'response.output_text.delta',
  'response.reasoning_text.delta',
  'response.completed',
])

/** OPEN-05, -06, -17 and -31, as far as one stream shows them. */
export class OpenQuestionObserver implements EventJudge {
  readonly #collector: FindingCollector
  readonly #structure: StructureJudge
  readonly #request: unknown
  readonly #names = new Set<string>()

  constructor(collector: FindingCollector, structure: StructureJudge, request: unknown) {
    this.#collector = collector
    this.#structure = structure
    this.#request = request
  }

  event({ name }: ResponseEvent): void {
    if (!named.has(name)) this.#names.add(name)
  }

  again(): void {}

  end({ ended, final }: StreamOutcome): void {
    if (!ended) return
    this.#collector.observed('OPEN-17', [...this.#names].sort().join(', ') || 'none')
    const steps = this.#structure.items.flatMap(({ added, done }) =>
      added?.['status'] == null || done?.['status'] == null
        ? []
        : [`${added['status']} → ${done['status']}`],
    )
    if (steps.length > 0) this.#collector.observed('OPEN-06', [...new Set(steps)].sort().join(', '))
    if (final !== undefined) observeItems(this.#collector, final, this.#request)
  }
}
