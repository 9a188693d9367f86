import type { Ending, Judgement, WireChunk } from '../../../contract/index.ts'
import { asObject, isObject } from '../../../contract/json.ts'
import { terminalEvents } from '../../../contract/wire.ts'
import { observeItems } from '../bodies/v3.ts'
import { judgeOutput, judgeUsage } from '../final-response.ts'
import { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import { type BlockJudge, type Fragment, StreamReader } from '../sse/alike.ts'
import type { Block } from '../sse/scanner.ts'
import type { ContentKind, StreamContents, StreamContext, StreamJudge } from '../streams.ts'
import { judgeAgreement, judgeAnnotations } from './agreement.ts'
import { AnswerJudge, DeltaJudge } from './answer.ts'
import { type EventJudge, holdsAll, type ResponseEvent, type StreamOutcome } from './event.ts'
import { FramingJudge, SequenceJudge } from './framing.ts'
import { judgeOutputs } from './outputs.ts'
import { SnapshotJudge, TerminalJudge } from './snapshots.ts'
import { StructureJudge } from './structure.ts'

/** Judges the event stream of a v3 reply (section 6; docs/internals/wire-contract.md). */
export class ResponsesJudge implements StreamJudge, BlockJudge {
  readonly #collector = new FindingCollector()
  readonly #reader = new StreamReader(this)
  readonly #context: StreamContext
  readonly #framing = new FramingJudge(this.#collector)
  readonly #terminal = new TerminalJudge(this.#collector)
  readonly #structure = new StructureJudge(this.#collector)
  readonly #judges: readonly EventJudge[]
  readonly #contents: StreamContents | undefined
  fragment: Fragment | undefined
  /** Kind of the last event. */
  #kind: ContentKind | undefined
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

  push(chunk: WireChunk): void {
    this.#reader.push(chunk)
  }

  end(ending: Ending): Judgement {
    const rest = this.#reader.rest(ending)
    this.#terminal.end(ending, rest, this.#lost === 'perhaps the end')
    if (this.#lost === 'nothing') this.#judgeWhole(ending)
    else this.#structure.settle()
    return this.#collector.judgement(this.#context.exchanges)
  }

  again(text: string, number: number | undefined, index: number): void {
    this.#countEvent()
    if (this.#kind !== undefined) this.#contents?.add(this.#kind, text)
    for (const judge of this.#judges) judge.again(text, number, index)
  }

  #countEvent(): void {
    if (this.#contents !== undefined) this.#contents.events += 1
  }

  block(block: Block): void {
    this.fragment = undefined
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
    this.fragment = deltaOf(event)
    this.#kind = contentKindOf(event.name)
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

/** Fragment of a delta with text; undefined for other events, and if its number is not valid. */
function deltaOf({ name, json }: ResponseEvent): Fragment | undefined {
  const { delta: text, sequence_number: number } = json
  if (typeof text !== 'string' || text === '' || contentKindOf(name) === undefined) return undefined
  if (number === undefined) return { member: 'delta', text }
  return Number.isSafeInteger(number)
    ? { member: 'delta', text, number: Number(number) }
    : undefined
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
