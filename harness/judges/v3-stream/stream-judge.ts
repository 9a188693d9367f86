import type { Ending } from '../../../contract/index.ts'
import { asObject, isObject } from '../../../contract/json.ts'
import { documentedEvents, terminalEvents } from '../../../contract/wire.ts'
import { observeItems } from '../bodies/v3.ts'
import { itemsOf, judgeOutput, judgeUsage } from '../final-response.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show, wordOf } from '../json.ts'
import type { Fragment } from '../sse/alike.ts'
import type { Block } from '../sse/scanner.ts'
import { type ContentKind, type StreamContents, StreamJudge } from '../streams.ts'
import { judgeAgreement, judgeAnnotations, judgeOutputs } from './agreement.ts'
import { answerJudge } from './answer.ts'
import { type EventJudge, holdsAll, type ResponseEvent, type StreamOutcome } from './event.ts'
import { readEvent, sequenceJudge } from './framing.ts'
import { snapshotJudge, TerminalJudge } from './snapshots.ts'
import { StructureJudge } from './structure.ts'

/** Judges the event stream of a v3 reply (section 6; docs/internals/wire-contract.md). */
export class ResponsesJudge extends StreamJudge {
  readonly #terminal = new TerminalJudge(this.collector)
  readonly #sequence = sequenceJudge(this.collector)
  readonly #structure = new StructureJudge(this.collector)
  readonly #judges: readonly EventJudge[] = [
    snapshotJudge(this.collector),
    this.#sequence,
    this.#structure,
    answerJudge(this.collector, this.context.request),
    openQuestionObserver(this.collector),
  ]
  /** The last event that was judged. */
  #last: ResponseEvent | undefined
  /** An event could not be read: findings about the whole stream are no longer possible. */
  #lost: 'nothing' | 'an event' | 'perhaps the end' = 'nothing'

  protected override conclude(ending: Ending, rest: Block | undefined): void {
    this.#terminal.end(ending, rest, this.#lost === 'perhaps the end')
    if (this.#lost === 'nothing') this.#judgeWhole(ending)
    else this.#structure.settle()
  }

  /** The judges that have seen the last event have its list of texts. */
  protected override again(text: string, number: number | undefined, index: number): void {
    this.countEvent()
    const kind = contentKinds.get(this.#last?.name ?? '')
    if (kind !== undefined) this.context.contents?.add(kind, text)
    this.#last?.texts.push(text)
    this.#sequence.again(number, index)
  }

  protected override block(block: Block): void {
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
    const event = readEvent(this.collector, block)
    if (event === undefined) return
    if (event === 'lost') {
      this.#lose(block)
      return
    }
    if (this.context.contents !== undefined) readContents(this.context.contents, event)
    this.#terminal.see(event)
    if (this.#lost !== 'nothing') return
    for (const judge of this.#judges) judge.event(event)
    this.fragment = deltaOf(event)
    this.#last = event
  }

  #lose({ name, index }: Block): void {
    this.#terminal.seeName(name, index)
    // A name with a byte that is not UTF-8 may be that of any event.
    const unnamed = name === null || name.includes('\ufffd')
    this.#lost = unnamed || this.#lost === 'perhaps the end' ? 'perhaps the end' : 'an event'
  }

  #judgeWhole(ending: Ending): void {
    const { name: terminal, event: finalEvent, final } = this.#terminal
    const ended = ending.kind === 'complete' && terminal !== undefined
    const { items, speaksFullGrammar } = this.#structure
    const finals = holdsAll({ terminal }) ? itemsOf(final) : []
    const { collector, context } = this
    const outcome: StreamOutcome = {
      ...{ final, finalEvent, terminal, ended, finals, items, speaksFullGrammar, context },
    }
    for (const judge of this.#judges) judge.end?.(outcome)
    judgeAgreement(collector, outcome)
    judgeOutputs(collector, outcome)
    judgeAnnotations(collector, outcome)
    if (final === undefined) return
    judgeUsage(collector, 'V3-SSE-22', final, context.request, finalEvent)
    const isWhole = holdsAll(outcome) && Array.isArray(final['output'])
    if (isWhole && !collector.isBroken('V3-SSE-17')) judgeOutput(collector, final, finalEvent)
  }
}

/** Fragment of a delta with text; undefined for other events, and if its number is not valid. */
function deltaOf({ name, json, texts: [text = ''] }: ResponseEvent): Fragment | undefined {
  const number = json['sequence_number']
  if (text === '' || !contentKinds.has(name)) return undefined
  if (number === undefined) return { member: 'delta', text }
  return Number.isSafeInteger(number)
    ? { member: 'delta', text, number: Number(number) }
    : undefined
}

/** Adds the contents of an event of a v3 stream. */
function readContents(contents: StreamContents, { name, json, texts }: ResponseEvent): void {
  const kind = contentKinds.get(name)
  if (kind !== undefined) {
    for (const text of texts) if (text !== '') contents.add(kind, text)
    return
  }
  const response = asObject(json['response'])
  if (typeof response?.['id'] === 'string') contents.id ??= response['id']
  if (isObject(response?.['usage'])) contents.usage = response['usage']
  if (name === 'error') contents.failure ??= show(json['error'] ?? json['message'] ?? json)
  if (name === 'response.failed') contents.failure ??= show(response?.['error'] ?? name)
  if ((terminalEvents as readonly string[]).includes(name)) contents.isTerminal = true
}

/** Kinds of the events with generated content. */
const contentKinds: ReadonlyMap<string, ContentKind> = new Map([
  ['response.output_text.delta', 'text'],
  ['response.reasoning_text.delta', 'reasoning'],
  ['response.reasoning_summary_text.delta', 'reasoning'],
  ['response.refusal.delta', 'refusal'],
  ['response.function_call_arguments.delta', 'tool'],
])

/** OPEN-05, -06, -17 and -31, as far as one stream shows them. */
function openQuestionObserver(collector: FindingCollector): EventJudge {
  const names = new Set<string>()
  return {
    event({ name }) {
      if (!documentedEvents.has(name)) names.add(name)
    },
    end({ ended, final, items, context }) {
      if (!ended) return
      collector.observed('OPEN-17', [...names].sort().join(', ') || 'none')
      const steps = items.flatMap(({ added, done }) =>
        added?.['status'] == null || done?.['status'] == null
          ? []
          : [`${wordOf(added['status'])} → ${wordOf(done['status'])}`],
      )
      if (steps.length > 0) collector.observed('OPEN-06', [...new Set(steps)].sort().join(', '))
      if (final !== undefined) observeItems(collector, final, context.request)
    },
  }
}
