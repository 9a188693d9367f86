import type { Ending, Judgement, WireChunk } from '../../contract/index.ts'
import { judgeOutput } from '../final-response.ts'
import { Ledger } from '../ledger.ts'
import { type Block, SseScanner } from '../sse/scanner.ts'
import type { StreamContext, StreamJudge, StreamWatcher } from '../streams.ts'
import { judgeUsage } from '../usage.ts'
import { judgeAgreement } from './agreement.ts'
import { judgeAnnotations } from './annotations.ts'
import { AnswerJudge } from './answer.ts'
import { DeltaJudge } from './deltas.ts'
import { type EventJudge, holdsAll, type StreamOutcome } from './event.ts'
import { FramingJudge } from './framing.ts'
import { StreamObserver } from './observe.ts'
import { judgeOutputs } from './outputs.ts'
import { SequenceJudge } from './sequence.ts'
import { SnapshotJudge } from './snapshots.ts'
import { StructureJudge } from './structure.ts'
import { TerminalJudge } from './terminal.ts'
import { watchEvent } from './watch.ts'

/** Judges the event stream of a v3 reply (section 6; wire contract 1). */
export class ResponsesJudge implements StreamJudge {
  readonly #ledger = new Ledger()
  readonly #scanner = new SseScanner()
  readonly #context: StreamContext
  readonly #framing = new FramingJudge(this.#ledger)
  readonly #terminal = new TerminalJudge(this.#ledger)
  readonly #structure = new StructureJudge(this.#ledger)
  readonly #judges: readonly EventJudge[]
  readonly #watcher: StreamWatcher | undefined
  /** An event could not be read: what rests on the whole stream cannot be told any more. */
  #lost: 'nothing' | 'an event' | 'perhaps the end' = 'nothing'

  constructor(context: StreamContext, watcher?: StreamWatcher) {
    this.#watcher = watcher
    const structure = this.#structure
    const deltas = new DeltaJudge(this.#ledger, context.request)
    this.#context = context
    this.#judges = [
      new SnapshotJudge(this.#ledger),
      new SequenceJudge(this.#ledger),
      structure,
      deltas,
      new AnswerJudge(this.#ledger, { structure, deltas }, context),
      new StreamObserver(this.#ledger, structure, context.request),
    ]
  }

  push({ bytes, atMs }: WireChunk): void {
    for (const block of this.#scanner.feed(bytes, atMs)) this.#block(block)
  }

  end(ending: Ending): Judgement {
    const rest = this.#scanner.rest(ending.atMs)
    this.#terminal.end(ending, rest, this.#lost === 'perhaps the end')
    if (this.#lost === 'nothing') this.#judgeWhole(ending)
    else this.#structure.settle()
    return this.#ledger.judgement(this.#context.exchanges)
  }

  #block(block: Block): void {
    if (block.data !== null) this.#watcher?.event()
    if (block.data?.trim() === '[DONE]') {
      this.#terminal.marker(block.index)
      return
    }
    if (block.data === null && block.names === 0 && block.invalidAt === null) return
    if (!this.#terminal.admits(block.name)) {
      this.#terminal.after(block)
      // What came too late is missing before the end; that is the same fault.
      this.#lost = 'an event'
      return
    }
    const { event, lost } = this.#framing.read(block)
    if (lost) this.#lose(block)
    if (event === undefined) return
    if (this.#watcher !== undefined) watchEvent(this.#watcher, event)
    this.#terminal.see(event)
    if (this.#lost === 'nothing') for (const judge of this.#judges) judge.event(event)
  }

  #lose({ name, index }: Block): void {
    this.#terminal.seeLost(name, index)
    this.#lost = name === null || this.#lost === 'perhaps the end' ? 'perhaps the end' : 'an event'
  }

  #judgeWhole(ending: Ending): void {
    const { name, event, final } = this.#terminal
    const ended = ending.kind === 'complete' && name !== undefined
    const outcome: StreamOutcome = { final, finalEvent: event, terminal: name, ended }
    for (const judge of this.#judges) judge.end(outcome)
    const { items, speaksFullGrammar } = this.#structure
    judgeAgreement(this.#ledger, items, outcome)
    judgeOutputs(this.#ledger, items, outcome)
    judgeAnnotations(this.#ledger, items, outcome, speaksFullGrammar)
    if (final === undefined) return
    judgeUsage(this.#ledger, 'V3-SSE-22', final, this.#context.request, event)
    if (
      holdsAll(outcome) &&
      Array.isArray(final['output']) &&
      !this.#ledger.isBroken('V3-SSE-17')
    ) {
      judgeOutput(this.#ledger, final, event)
    }
  }
}
