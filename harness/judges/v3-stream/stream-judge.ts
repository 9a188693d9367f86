import type { Ending } from '../../../contract/index.ts'
import { asObject, isObject } from '../../../contract/json.ts'
import { terminalEvents } from '../../../contract/wire.ts'
import { observeItems } from '../bodies/v3.ts'
import { itemsOf, judgeOutput, judgeUsage } from '../final-response.ts'
import { show, wordOf } from '../json.ts'
import type { Fragment } from '../sse/alike.ts'
import type { Block } from '../sse/scanner.ts'
import { type ContentKind, type StreamContents, StreamJudge } from '../streams.ts'
import { judgeAgreement, judgeAnnotations } from './agreement.ts'
import { AnswerJudge, DeltaJudge } from './answer.ts'
import { EventJudge, holdsAll, type ResponseEvent, type StreamOutcome } from './event.ts'
import { FramingJudge, SequenceJudge } from './framing.ts'
import { judgeOutputs } from './outputs.ts'
import { SnapshotJudge, TerminalJudge } from './snapshots.ts'
import { StructureJudge } from './structure.ts'

/** Judges the event stream of a v3 reply (section 6; docs/internals/wire-contract.md). */
export class ResponsesJudge extends StreamJudge {
  readonly #framing = new FramingJudge(this.collector)
  readonly #terminal = new TerminalJudge(this.collector)
  readonly #structure = new StructureJudge(this.collector)
  readonly #deltas = new DeltaJudge(this.collector, this.context.request)
  readonly #judges: readonly EventJudge[] = [
    new SnapshotJudge(this.collector),
    new SequenceJudge(this.collector),
    this.#structure,
    this.#deltas,
    new AnswerJudge(this.collector),
    new OpenQuestionObserver(this.collector),
  ]
  /** Kind of the last event. */
  #kind: ContentKind | undefined
  /** An event could not be read: findings about the whole stream are no longer possible. */
  #lost: 'nothing' | 'an event' | 'perhaps the end' = 'nothing'

  protected override conclude(ending: Ending, rest: Block | undefined): void {
    this.#terminal.end(ending, rest, this.#lost === 'perhaps the end')
    if (this.#lost === 'nothing') this.#judgeWhole(ending)
    else this.#structure.settle()
  }

  override again(text: string, number: number | undefined, index: number): void {
    this.countEvent()
    if (this.#kind !== undefined) this.context.contents?.add(this.#kind, text)
    for (const judge of this.#judges) judge.again(text, number, index)
  }

  override block(block: Block): void {
    this.fragment = undefined
    if (block.data !== null) this.countEvent()
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
    if (this.context.contents !== undefined) readEvent(this.context.contents, event)
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
    const { items, speaksFullGrammar } = this.#structure
    const { reasoning, spoiled } = this.#deltas
    const outcome: StreamOutcome = {
      ...{ final, finalEvent: event, terminal: name, ended, items, speaksFullGrammar },
      ...{ reasoning, spoiled, context: this.context },
      finals: holdsAll({ terminal: name }) ? itemsOf(final) : [],
    }
    for (const judge of this.#judges) judge.end(outcome)
    judgeAgreement(this.collector, outcome)
    judgeOutputs(this.collector, outcome)
    judgeAnnotations(this.collector, outcome)
    if (final === undefined) return
    judgeUsage(this.collector, 'V3-SSE-22', final, this.context.request, event)
    const isWhole = holdsAll(outcome) && Array.isArray(final['output'])
    if (isWhole && !this.collector.isBroken('V3-SSE-17')) judgeOutput(this.collector, final, event)
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
function readEvent(contents: StreamContents, { name, json }: ResponseEvent): void {
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
function contentKindOf(name: string): ContentKind | undefined {
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
class OpenQuestionObserver extends EventJudge {
  readonly #names = new Set<string>()

  override event({ name }: ResponseEvent): void {
    if (!named.has(name)) this.#names.add(name)
  }

  override end({ ended, final, items, context }: StreamOutcome): void {
    if (!ended) return
    this.collector.observed('OPEN-17', [...this.#names].sort().join(', ') || 'none')
    const steps = items.flatMap(({ added, done }) =>
      added?.['status'] == null || done?.['status'] == null
        ? []
        : [`${wordOf(added['status'])} → ${wordOf(done['status'])}`],
    )
    if (steps.length > 0) this.collector.observed('OPEN-06', [...new Set(steps)].sort().join(', '))
    if (final !== undefined) observeItems(this.collector, final, context.request)
  }
}
