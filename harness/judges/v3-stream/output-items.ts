import type { RequirementId } from '../../../contract/index.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../contract/json.ts'
import { asIndex } from '../json.ts'
import type { EventKind, ItemTrace, Place, ResponseEvent, SlotTrace } from './event.ts'

/** A violation that may turn out to be none when the whole stream is known. */
interface Complaint {
  readonly requirement: RequirementId
  readonly why: string
  readonly event: number
  /** It counts only if the stream uses the full grammar, or only if it does not. */
  readonly only?: 'full' | 'minimal' | undefined
  /** The output_index before which one seems to be missing; it is not, if its item was merely not added. */
  readonly gapBefore?: number
}

/**
 * Finds the item and the part that an event belongs to, and reports contradictions between output_index,
 * item_id (V3-SSE-14), the index of the part (V3-SSE-16) and what was added before (V3-SSE-13). It always finds
 * them: a wrong index is one fault, and the content of the event still belongs to some item.
 */
export class OutputItems {
  readonly items: ItemTrace[] = []
  readonly complaints: Complaint[] = []

  complain(
    requirement: RequirementId,
    why: string,
    { index: event }: Pick<ResponseEvent, 'index'>,
    when: Pick<Complaint, 'only' | 'gapBefore'> = {},
  ): void {
    this.complaints.push({ requirement, why, event, ...when })
  }

  /** Adds the item of an output_item.added. */
  add(event: ResponseEvent): void {
    const item = asObject(event.json['item'])
    const id = asString(item?.['id'])
    const index = asIndex(event.json['output_index'])
    const next = this.items.length
    if (item === undefined) {
      this.complain('V3-SSE-13', 'output_item.added has no item.', event, { only: 'full' })
    }
    const there = this.#at(index)
    if (there?.added !== undefined && (id === undefined || id === there.id)) {
      this.complain('V3-SSE-13', `The item at output_index ${index} is added twice.`, event)
      return
    }
    // It was used before it was added, which is already reported.
    const isUsed = there !== undefined && there.added === undefined
    const duplicate = isUsed ? undefined : (there ?? this.#withId(id))
    if (duplicate !== undefined) {
      const why = `The item ${id} is added at output_index ${index}, after ${duplicate.id} at ${duplicate.index}.`
      this.complain('V3-SSE-14', why, event)
    } else if (!isUsed && index !== undefined && index !== next) {
      const why = `An item is added at output_index ${index}; ${next} is the next.`
      this.complain('V3-SSE-14', why, event, { gapBefore: index })
    }
    const trace = isUsed ? there : this.#create(duplicate ? next : (index ?? next))
    trace.added = item ?? {}
    trace.id = id ?? trace.id
    trace.type = asString(item?.['type'])
    for (const [at, part] of asArray(item?.['content']).entries()) {
      open(trace, 'content', at, at, asString(asObject(part)?.['type'])).added = true
    }
  }

  /** The item of any other event; `isNew` if no earlier event named it. */
  find(event: ResponseEvent, kind: EventKind): { readonly item: ItemTrace; isNew: boolean } {
    const { json } = event
    const index = asIndex(json['output_index'])
    const id = asString(json['item_id']) ?? asString(asObject(json['item'])?.['id'])
    const at = this.#at(index)
    const named = this.#withId(id)
    if (at !== undefined && id !== undefined) at.id ??= id
    const namesNone = index === undefined && id === undefined
    const item = named ?? at ?? (namesNone ? this.#likely(kind) : undefined)
    if (item === undefined) {
      const opened = this.#create(index ?? this.items.length)
      opened.id = id
      return { item: opened, isNew: true }
    }
    if ((index !== undefined && item.index !== index) || (id !== undefined && item.id !== id)) {
      const why = `output_index ${index} comes with ${id}; ${item.id} is at output_index ${item.index}.`
      this.complain('V3-SSE-14', why, event)
    }
    return { item, isNew: false }
  }

  /** The part that an event belongs to; undefined for events about an item as a whole. */
  slotOf(item: ItemTrace, kind: EventKind, event: ResponseEvent): SlotTrace | undefined {
    const { place } = kind
    if (place === undefined) return undefined
    const slots = item.slots.filter((slot) => slot.place === place)
    const next = slots.length
    if (place === 'arguments') return slots[0] ?? open(item, place, 0, next, undefined)
    const indexName = `${place}_index`
    const index = asIndex(event.json[indexName])
    const exact = slots.find((slot) => slot.index === index)
    const type = kind.part ?? asString(asObject(event.json['part'])?.['type'])
    const notNext = `${indexName} is ${index}; ${next} is the next of this item.`
    const isGap = exact === undefined && index !== undefined && index !== next
    if (kind.act === 'add part') {
      if (exact?.added) {
        this.complain('V3-SSE-13', `The part at ${indexName} ${index} is added twice.`, event)
      } else if (isGap) this.complain('V3-SSE-16', notNext, event)
      const slot = exact ?? open(item, place, index ?? next, next, type)
      slot.added = true
      return slot
    }
    if (exact !== undefined) return exact
    const running = slots.findLast((slot) => slot.added && slot.part === undefined)
    if (running !== undefined && (type === undefined || running.type === type)) {
      const why = `${indexName} is ${index} in ${event.name}; the open part has ${running.index}.`
      if (index !== undefined) this.complain('V3-SSE-16', why, event)
      return running
    }
    const last = slots.at(-1)
    if (index === undefined && last !== undefined) return last
    const why = `${event.name} occurs for a part that was not added; clients cannot assign it.`
    this.complain('V3-SSE-13', why, event, { only: 'full' })
    if (isGap) this.complain('V3-SSE-16', notNext, event, { only: 'minimal' })
    return open(item, place, index ?? next, next, type)
  }

  #at(index: number | undefined): ItemTrace | undefined {
    return index === undefined ? undefined : this.items.find((item) => item.index === index)
  }

  #withId(id: string | undefined): ItemTrace | undefined {
    return id === undefined ? undefined : this.items.find((item) => item.id === id)
  }

  /** Item of an event that names none: the last one that fits. */
  #likely({ item: type }: EventKind): ItemTrace | undefined {
    const fitting = this.items.filter(
      (item) => type === undefined || item.type === undefined || item.type === type,
    )
    return fitting.findLast(({ done }) => done === undefined) ?? fitting.at(-1)
  }

  #create(index: number): ItemTrace {
    const item = { index, progress: -1, slots: [], id: undefined, type: undefined }
    const made = { ...item, added: undefined, done: undefined }
    this.items.push(made)
    return made
  }
}

function open(
  item: ItemTrace,
  place: Place,
  index: number,
  ordinal: number,
  type: string | undefined,
): SlotTrace {
  const empty = { added: false, spoiled: false, textEnded: false, text: undefined, part: undefined }
  const slot = { place, index, ordinal, type, ...empty, deltas: [], annotations: [] }
  item.slots.push(slot)
  return slot
}

/**
 * Finds an item in the final response: the one with the same id, or the one in the same place. A stream of
 * few events may show items that its final response omits.
 */
export function finalOf(
  item: ItemTrace,
  place: number,
  finals: readonly JsonObject[],
): JsonObject | undefined {
  const named = finals.find(({ id }) => id !== undefined && id === item.id)
  const placed = finals[place]
  const fits = item.type === undefined || placed?.['type'] === item.type
  return named ?? (fits ? placed : undefined)
}
