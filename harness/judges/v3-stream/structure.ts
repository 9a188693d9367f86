import { asObject, asString, isObject } from '../../../contract/json.ts'
import { PartialJudge } from '../finding-collector.ts'
import { asIndex } from '../json.ts'
import {
  type EventJudge,
  type EventKind,
  holdsAll,
  type ItemTrace,
  indexesOf,
  kindOf,
  type ResponseEvent,
  type SlotTrace,
  type StreamOutcome,
} from './event.ts'
import { OutputItems } from './output-items.ts'

/**
 * V3-SSE-12 to -16: which items and parts are added, filled and done, and under which indexes; records the
 * items and parts that other judges compare.
 *
 * The document names five events, so a stream of these alone is legal although clients that follow the
 * contract break on it. A stream with any added or done event of the contract must have all of them: clients
 * then rely on them.
 */
export class StructureJudge extends PartialJudge implements EventJudge {
  readonly #book = new OutputItems()
  /** The stream has one of the added and done events. */
  speaksFullGrammar = false
  #answered = false

  /** Items in the order of their output_index. */
  get items(): readonly ItemTrace[] {
    return this.#book.items.toSorted((a, b) => a.index - b.index)
  }

  event(event: ResponseEvent): void {
    this.#judgeSnapshot(event)
    const kind = kindOf(event.name)
    if (kind === undefined) return
    this.speaksFullGrammar ||= brackets.has(kind.act)
    this.#judgeIndexes(event, kind)
    if (kind.act === 'add item') {
      this.#book.add(event)
      return
    }
    const isEarly = this.#isEarlyAnswer(event)
    const { item, isNew } = this.#book.find(event, kind)
    if (isNew && !isEarly) {
      const why = `${event.name} occurs for an item that was not added.`
      this.#book.complain('V3-SSE-13', why, event, { only: 'full' })
    }
    const slot = this.#book.slotOf(item, kind, event)
    const [why, only] = (isNew ? undefined : orderFault(item, slot, kind, event.name)) ?? []
    if (why !== undefined) this.#book.complain('V3-SSE-13', why, event, { only })
    record(item, slot, kind, event)
  }

  end(outcome: StreamOutcome): void {
    if (holdsAll(outcome) && this.speaksFullGrammar) {
      const open = this.items.find((item) => item.done === undefined)
      if (open !== undefined) {
        const why = `The item at output_index ${open.index} was not done before ${outcome.terminal}.`
        this.#book.complain('V3-SSE-13', why, { index: outcome.finalEvent ?? 0 })
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
    const { complaints, items } = this.#book
    for (const { requirement, why, event, only = grammar, gapBefore = 0 } of complaints) {
      const isNoGap = items.some(({ added, index }) => added === undefined && index < gapBefore)
      if (only === grammar && !isNoGap) this.collector.broken(requirement, why, event)
    }
    // An answer without its item cannot have the item's added and done events either.
    if (this.collector.isBroken('V3-SSE-12')) this.collector.retract('V3-SSE-13')
  }

  /** V3-SSE-12: tests if an event is the first delta of the answer, and comes before its item. */
  #isEarlyAnswer({ name, index }: ResponseEvent): boolean {
    if (this.#answered || name !== 'response.output_text.delta') return false
    this.#answered = true
    const isEarly = !this.#book.items.some(
      ({ added, type }) => added !== undefined && (type === undefined || type === 'message'),
    )
    const why = 'The first delta of the answer comes before the output_item.added of a message.'
    const held = 'The item of the answer was added before its first delta.'
    this.collector.decide('V3-SSE-12', isEarly && why, held, index)
    return isEarly
  }

  #judgeIndexes({ name, json, index }: ResponseEvent, kind: EventKind): void {
    const indexes = indexesOf(kind)
    const missing = indexes.find((one) => asIndex(json[one]) === undefined)
    const why = `${name} has no ${missing}; a client cannot tell where it belongs.`
    const held = `${name} shows ${indexes.join(' and ')}.`
    this.collector.decide('V3-SSE-15', missing !== undefined && why, held, index)
    if (missing !== undefined) return
    if (kind.act === 'add item') {
      this.collector.held('V3-SSE-14', 'output_index counts up and stays with its item.', index)
    }
    if (kind.place === 'content' || kind.place === 'summary') {
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
      const why = `${name} has no response with an output.`
      this.#book.complain('V3-SSE-13', why, event, { only: 'full' })
    }
    if (name !== 'response.created' && this.#book.items.length > 0) {
      const why = `${name} comes after the first item and erases it in clients.`
      this.#book.complain('V3-SSE-13', why, event)
    }
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
  { act, part, text }: EventKind,
  { json, name, texts }: ResponseEvent,
): void {
  if (act === 'end item') item.done ??= asObject(json['item']) ?? {}
  if (act === 'progress') item.progress = Math.max(item.progress, progressOf(name) ?? -1)
  if (slot === undefined) return
  slot.type ??= part ?? asString(asObject(json['part'])?.['type'])
  if (act === 'delta') {
    if (texts.length > 0) slot.deltas.push(texts)
    else slot.spoiled = true
  } else if (act === 'end text') {
    slot.textEnded = true
    slot.text ??= text && asString(json[text])
  } else if (act === 'end part') slot.part ??= asObject(json['part']) ?? {}
  else if (act === 'annotate' && isObject(json['annotation'])) {
    slot.annotations.push(json['annotation'])
  }
}

/** Violation of V3-SSE-13, and whether it counts only in a stream with the full grammar. */
type OrderFault = readonly [why: string, only?: 'full']

/** Checks the order of events by the grammar of docs/internals/wire-contract.md. */
function orderFault(
  item: ItemTrace,
  slot: SlotTrace | undefined,
  { act, item: type }: EventKind,
  name: string,
): OrderFault | undefined {
  if (type !== undefined && item.type !== undefined && type !== item.type) {
    return [`${name} occurs for an item of the type ${item.type}; clients reject it.`]
  }
  if (item.done !== undefined) return [`${name} comes after the output_item.done of its item.`]
  if (act === 'end item') return endOfItem(item)
  if (act === 'progress') {
    const isLate = (progressOf(name) ?? item.progress) < item.progress
    return isLate ? [`${name} comes after a later step of the same call.`] : undefined
  }
  if (slot === undefined) return undefined
  if (slot.part !== undefined) return [`${name} comes after its part was done.`]
  if (slot.textEnded && (act === 'delta' || act === 'end text')) {
    return [`${name} comes after the text of its part was done.`]
  }
  if (act !== 'end part' || !isUnended(slot)) return undefined
  return [`${name} comes before the done event of the text in its part.`, 'full']
}

/** Rank of a step of a search; those of other steps are not known. */
function progressOf(name: string): number | undefined {
  const step = name.slice(name.lastIndexOf('.') + 1)
  const rank = ['in_progress', 'searching', 'completed'].indexOf(step)
  return rank < 0 ? undefined : rank
}

function endOfItem({ slots }: ItemTrace): OrderFault | undefined {
  const open = slots.find((slot) => slot.added && slot.part === undefined)
  if (open !== undefined) {
    return [`The item is done while its part ${open.index} is not.`, 'full']
  }
  const call = slots.find((slot) => slot.place === 'arguments' && isUnended(slot))
  return call && ['The call is done without function_call_arguments.done.', 'full']
}

function isUnended({ deltas, textEnded }: SlotTrace): boolean {
  return deltas.length > 0 && !textEnded
}
