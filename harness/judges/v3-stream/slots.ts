import { asArray, asObject, asString } from '../../../contract/json.ts'
import { asIndex } from '../json.ts'
import type { Complaint, ResponseEvent } from './event.ts'
import type { EventKind, Place } from './kinds.ts'
import type { ItemTrace, SlotTrace } from './traces.ts'

/**
 * Finds the part that an event is about, and says where its index contradicts the order of parts
 * (V3-SSE-16) or no part was added for it (V3-SSE-13).
 */
export function slotOf(
  item: ItemTrace,
  kind: EventKind,
  { json, index: event, name }: ResponseEvent,
  complain: (complaint: Complaint) => void,
): SlotTrace | undefined {
  const { place } = kind
  if (place === undefined) return undefined
  const slots = item.slots.filter((slot) => slot.place === place)
  if (place === 'arguments') return slots[0] ?? open(item, place, 0, slots.length, undefined)
  const indexName = place === 'summary' ? 'summary_index' : 'content_index'
  const index = asIndex(json[indexName])
  const exact = slots.find((slot) => slot.index === index)
  const next = slots.length
  const type = kind.part ?? asString(asObject(json['part'])?.['type'])
  const notNext = {
    row: 'V3-SSE-16',
    why: `${indexName} is ${index}; ${next} is the next of this item.`,
    event,
  } as const
  if (kind.act === 'add part') {
    if (exact?.added) {
      const why = `The part at ${indexName} ${index} is added twice.`
      complain({ row: 'V3-SSE-13', why, event })
    } else if (exact === undefined && index !== undefined && index !== next) complain(notNext)
    const slot = exact ?? open(item, place, index ?? next, next, type)
    slot.added = true
    return slot
  }
  if (exact !== undefined) return exact
  const running = slots.findLast((slot) => slot.added && slot.part === undefined)
  if (running !== undefined && (type === undefined || running.type === type)) {
    if (index !== undefined) {
      const why = `${indexName} is ${index} in ${name}; the open part has ${running.index}.`
      complain({ row: 'V3-SSE-16', why, event })
    }
    return running
  }
  const last = slots.at(-1)
  if (index === undefined && last !== undefined) return last
  const why = `${name} occurs for a part that was not added; clients cannot assign it.`
  complain({ row: 'V3-SSE-13', why, event, only: 'full' })
  if (index !== undefined && index !== next) complain({ ...notNext, only: 'minimal' })
  return open(item, place, index ?? next, next, type)
}

/** Parts that an item brings along when it is added. */
export function openShownParts(item: ItemTrace): void {
  for (const [at, part] of asArray(item.added?.['content']).entries()) {
    open(item, 'content', at, at, asString(asObject(part)?.['type'])).added = true
  }
}

function open(
  item: ItemTrace,
  place: Place,
  index: number,
  ordinal: number,
  type: string | undefined,
): SlotTrace {
  const slot: SlotTrace = {
    place,
    index,
    ordinal,
    type,
    added: false,
    deltas: [],
    spoiled: false,
    textEnded: false,
    text: undefined,
    part: undefined,
    annotations: [],
  }
  item.slots.push(slot)
  return slot
}
