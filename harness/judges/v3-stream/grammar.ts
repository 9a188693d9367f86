import type { EventKind, ResponseEvent } from './event.ts'
import type { ItemTrace, SlotTrace } from './output-items.ts'

/** Violation of V3-SSE-13, and whether it counts only in a stream with the full grammar. */
export interface OrderFault {
  readonly why: string
  readonly only?: 'full'
}

/** Checks the order of events by the grammar of docs/internals/wire-contract.md. */
export function orderFault(
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
    return progressOf(name) < item.progress
      ? { why: `${name} comes after a later step of the same call.` }
      : undefined
  }
  return slot === undefined ? undefined : partFault(slot, kind, name)
}

/** Rank of a step of file search; steps of other tools have the same rank. */
export function progressOf(name: string): number {
  return ['in_progress', 'searching', 'completed'].indexOf(name.slice(name.lastIndexOf('.') + 1))
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
