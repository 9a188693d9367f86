import { asObject, asString, isObject } from '../../../contract/json.ts'
import { asIndex } from '../json.ts'
import {
  type Complaint,
  EventJudge,
  type EventKind,
  holdsAll,
  type ItemTrace,
  kindOf,
  type ResponseEvent,
  type SlotTrace,
  type StreamOutcome,
} from './event.ts'
import { OutputItems, openShownParts, slotOf } from './output-items.ts'

/**
 * V3-SSE-12 to -16: which items and parts are added, filled and done, and under which indexes; records the
 * items and parts that other judges compare.
 *
 * The document names five events, so a stream of these alone is legal although clients that follow the
 * contract break on it. A stream with any added or done event of the contract must have all of them: clients
 * then rely on them.
 */
export class StructureJudge extends EventJudge {
  readonly #complaints: Complaint[] = []
  readonly #book = new OutputItems((complaint) => this.#complaints.push(complaint))
  /** The stream has one of the added and done events. */
  speaksFullGrammar = false
  #answered = false
  /** The part of the last event. */
  #slot: SlotTrace | undefined

  /** Items in the order of their output_index. */
  get items(): readonly ItemTrace[] {
    return this.#book.items.toSorted((a, b) => a.index - b.index)
  }

  override event(event: ResponseEvent): void {
    this.#slot = undefined
    this.#judgeSnapshot(event)
    const kind = kindOf(event.name)
    if (kind === undefined) return
    this.speaksFullGrammar ||= brackets.has(kind.act)
    this.#judgeIndexes(event, kind)
    if (kind.act === 'add item') {
      openShownParts(this.#book.add(event))
      return
    }
    const isAnswer = event.name === 'response.output_text.delta'
    const isEarly = isAnswer && !this.#answered && !this.#mayHoldAnswer()
    this.#judgeAnswer(event, isAnswer, isEarly)
    const { item, isNew } = this.#book.find(event, kind)
    if (isNew && !isEarly) {
      this.#complain(event, `${event.name} occurs for an item that was not added.`, 'full')
    }
    const slot = slotOf(item, kind, event, (complaint) => this.#complaints.push(complaint))
    const fault = isNew ? undefined : orderFault(item, slot, kind, event)
    if (fault !== undefined) this.#complain(event, fault.why, fault.only)
    record(item, slot, kind, event)
    this.#slot = slot
  }

  override again(text: string): void {
    this.#slot?.deltas.push(text)
  }

  override end(outcome: StreamOutcome): void {
    if (holdsAll(outcome) && this.speaksFullGrammar) {
      const open = this.items.find((item) => item.done === undefined)
      if (open !== undefined) {
        const why = `The item at output_index ${open.index} was not done before ${outcome.terminal}.`
        this.#complaints.push({ requirement: 'V3-SSE-13', why, event: outcome.finalEvent ?? 0 })
      } else if (this.items.length > 0) {
        const why = 'Every item and part was added, filled and done in order.'
        this.collector.held('V3-SSE-13', why)
      }
    }
    this.settle()
  }

  /** Reports the findings; also called for a stream that could not be read to its end. */
  settle(): void {
    const grammar = this.speaksFullGrammar ? 'full' : 'minimal'
    for (const { requirement, why, event, only, gapBefore } of this.#complaints) {
      if (only !== undefined && only !== grammar) continue
      if (gapBefore !== undefined && this.#wasNotAdded(gapBefore)) continue
      this.collector.broken(requirement, why, event)
    }
    this.#complaints.length = 0
    // An answer without its item cannot have the item's added and done events either.
    if (this.collector.isBroken('V3-SSE-12')) this.collector.retract('V3-SSE-13')
  }

  #wasNotAdded(before: number): boolean {
    return this.#book.items.some(({ added, index }) => added === undefined && index < before)
  }

  #mayHoldAnswer(): boolean {
    return this.#book.items.some(
      ({ added, type }) => added !== undefined && (type === undefined || type === 'message'),
    )
  }

  #judgeAnswer({ index }: ResponseEvent, isAnswer: boolean, isEarly: boolean): void {
    if (!isAnswer || this.#answered) return
    this.#answered = true
    if (isEarly) {
      const why = 'The first delta of the answer comes before the output_item.added of a message.'
      this.collector.broken('V3-SSE-12', why, index)
    } else this.collector.held('V3-SSE-12', 'The item of the answer was added before.', index)
  }

  #judgeIndexes({ name, json, index }: ResponseEvent, { act, indexes, place }: EventKind): void {
    const missing = indexes.find((name) => asIndex(json[name]) === undefined)
    if (missing !== undefined) {
      const why = `${name} has no ${missing}; a client cannot tell where it belongs.`
      this.collector.broken('V3-SSE-15', why, index)
      return
    }
    this.collector.held('V3-SSE-15', `${name} shows ${indexes.join(' and ')}.`, index)
    if (act === 'add item') {
      this.collector.held('V3-SSE-14', 'output_index counts up and stays with its item.', index)
    }
    if (place === 'content' || place === 'summary') {
      this.collector.held('V3-SSE-16', 'Part indexes count from 0 in each item.', index)
    }
  }

  /**
   * Clients adopt the whole response of a lifecycle event: one without output gives them no place for items,
   * and a late one discards those that they have.
   */
  #judgeSnapshot(event: ResponseEvent): void {
    const { name, json } = event
    if (!opening.has(name)) return
    if (!Array.isArray(asObject(json['response'])?.['output'])) {
      this.#complain(event, `${name} has no response with an output.`, 'full')
    }
    if (name !== 'response.created' && this.#book.items.length > 0) {
      this.#complain(event, `${name} comes after the first item and erases it in clients.`)
    }
  }

  #complain({ index }: ResponseEvent, why: string, only?: 'full' | 'minimal'): void {
    const complaint = { requirement: 'V3-SSE-13', why, event: index } as const
    this.#complaints.push(only === undefined ? complaint : { ...complaint, only })
  }
}

const opening: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
])

const brackets: ReadonlySet<string> = new Set(['end item', 'add part', 'end part', 'end text'])

function record(
  item: ItemTrace,
  slot: SlotTrace | undefined,
  kind: EventKind,
  { json, name }: ResponseEvent,
): void {
  if (kind.act === 'end item') item.done ??= asObject(json['item']) ?? {}
  if (kind.act === 'progress') item.progress = Math.max(item.progress, progressOf(name) ?? -1)
  if (slot === undefined) return
  slot.type ??= kind.part ?? asString(asObject(json['part'])?.['type'])
  switch (kind.act) {
    case 'delta':
      if (typeof json['delta'] === 'string') slot.deltas.push(json['delta'])
      else slot.spoiled = true
      break
    case 'end text':
      slot.textEnded = true
      slot.text ??= kind.text === undefined ? undefined : asString(json[kind.text])
      break
    case 'end part':
      slot.part ??= asObject(json['part']) ?? {}
      break
    case 'annotate':
      if (isObject(json['annotation'])) slot.annotations.push(json['annotation'])
      break
  }
}

/** Violation of V3-SSE-13, and whether it counts only in a stream with the full grammar. */
type OrderFault = Pick<Complaint, 'why' | 'only'>

/** Checks the order of events by the grammar of docs/internals/wire-contract.md. */
function orderFault(
  item: ItemTrace,
  slot: SlotTrace | undefined,
  kind: EventKind,
  { name }: ResponseEvent,
): OrderFault | undefined {
  if (kind.item !== undefined && item.type !== undefined && kind.item !== item.type) {
    return { why: `${name} occurs for an item of the type ${item.type}; clients reject it.` }
  }
  if (item.done !== undefined) {
    return { why: `${name} comes after the output_item.done of its item.` }
  }
  if (kind.act === 'end item') return endOfItem(item)
  if (kind.act === 'progress') {
    return (progressOf(name) ?? item.progress) < item.progress
      ? { why: `${name} comes after a later step of the same call.` }
      : undefined
  }
  return slot === undefined ? undefined : partFault(slot, kind, name)
}

/** Rank of a step of a search; those of other steps are not known. */
function progressOf(name: string): number | undefined {
  const rank = ['in_progress', 'searching', 'completed'].indexOf(
    name.slice(name.lastIndexOf('.') + 1),
  )
  return rank < 0 ? undefined : rank
}

function endOfItem({ slots }: ItemTrace): OrderFault | undefined {
  const open = slots.find((slot) => slot.added && slot.part === undefined)
  if (open !== undefined) {
    return { why: `The item is done while its part ${open.index} is not.`, only: 'full' }
  }
  const call = slots.find((slot) => slot.place === 'arguments' && isUnended(slot))
  return call && { why: 'The call is done without function_call_arguments.done.', only: 'full' }
}

function partFault(slot: SlotTrace, { act }: EventKind, name: string): OrderFault | undefined {
  if (slot.part !== undefined) {
    return { why: `${name} comes after its part was done.` }
  }
  if (slot.textEnded && (act === 'delta' || act === 'end text')) {
    return { why: `${name} comes after the text of its part was done.` }
  }
  if (act === 'end part' && isUnended(slot)) {
    return { why: `${name} comes before the done event of the text in its part.`, only: 'full' }
  }
  return undefined
}

function isUnended({ deltas, textEnded }: SlotTrace): boolean {
  return deltas.length > 0 && !textEnded
}
