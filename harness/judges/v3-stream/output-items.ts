import { asObject, asString, type JsonObject } from '../../../contract/json.ts'
import { asIndex } from '../json.ts'
import type { Complaint, ResponseEvent } from './event.ts'
import type { EventKind } from './kinds.ts'
import type { ItemTrace } from './traces.ts'

/**
 * Finds the item that an event is about, by output_index and item_id, and says where they
 * contradict each other (V3-SSE-14). Whatever it says, it always finds one: a wrong index is one
 * fault, and what the event brings is still of some item.
 */
export class OutputItems {
  readonly items: ItemTrace[] = []
  readonly #complain: (complaint: Complaint) => void

  constructor(complain: (complaint: Complaint) => void) {
    this.#complain = complain
  }

  /** The item of an output_item.added. */
  add({ json, index: event }: ResponseEvent): ItemTrace {
    const item = asObject(json['item'])
    const id = asString(item?.['id'])
    const index = asIndex(json['output_index'])
    const next = this.items.length
    if (item === undefined) {
      const why = 'output_item.added has no item.'
      this.#complain({ row: 'V3-SSE-13', why, event, only: 'full' })
    }
    const there = this.#at(index)
    // It was used before it was added, which has been said already.
    if (there !== undefined && there.added === undefined) return fill(there, item)
    const duplicate = there ?? this.#withId(id)
    if (duplicate !== undefined) {
      const same = there !== undefined && (id === undefined || id === there.id)
      const why = same
        ? `The item at output_index ${index} is added twice.`
        : `The item ${id} is added at output_index ${index}, after ${duplicate.id} at ${duplicate.index}.`
      this.#complain({ row: same ? 'V3-SSE-13' : 'V3-SSE-14', why, event })
      if (same) return there
    } else if (index !== undefined && index !== next) {
      const why = `An item is added at output_index ${index}; ${next} is the next.`
      this.#complain({ row: 'V3-SSE-14', why, event, gapBefore: index })
    }
    return fill(this.#create(duplicate === undefined ? (index ?? next) : next), item)
  }

  /** The item of any other event; `isNew` where nothing had named it before. */
  find(
    { json, index: event }: ResponseEvent,
    kind: EventKind,
  ): { readonly item: ItemTrace; readonly isNew: boolean } {
    const index = asIndex(json['output_index'])
    const id = asString(json['item_id']) ?? asString(asObject(json['item'])?.['id'])
    const at = this.#at(index)
    const named = this.#withId(id)
    if (at !== undefined && id !== undefined && at.id === undefined) at.id = id
    const item =
      named ?? at ?? (index === undefined && id === undefined ? this.#likely(kind) : undefined)
    if (item === undefined) {
      const opened = this.#create(index ?? this.items.length)
      opened.id = id
      return { item: opened, isNew: true }
    }
    const wrongIndex = index !== undefined && item.index !== index
    const wrongId = id !== undefined && item.id !== id
    if (wrongIndex || wrongId) {
      const why = `output_index ${index} comes with ${id}; ${item.id} is at output_index ${item.index}.`
      this.#complain({ row: 'V3-SSE-14', why, event })
    }
    return { item, isNew: false }
  }

  #at(index: number | undefined): ItemTrace | undefined {
    return index === undefined ? undefined : this.items.find((item) => item.index === index)
  }

  #withId(id: string | undefined): ItemTrace | undefined {
    return id === undefined ? undefined : this.items.find((item) => item.id === id)
  }

  /** Item of an event that names none: the last one that could take it. */
  #likely({ item: type }: EventKind): ItemTrace | undefined {
    const fits = (item: ItemTrace) =>
      type === undefined || item.type === undefined || item.type === type
    return (
      this.items.findLast((item) => fits(item) && item.done === undefined) ??
      this.items.findLast(fits)
    )
  }

  #create(index: number): ItemTrace {
    const item: ItemTrace = {
      index,
      id: undefined,
      type: undefined,
      added: undefined,
      done: undefined,
      progress: -1,
      slots: [],
    }
    this.items.push(item)
    return item
  }
}

function fill(trace: ItemTrace, item: JsonObject | undefined): ItemTrace {
  trace.added = item ?? {}
  trace.id = asString(item?.['id']) ?? trace.id
  trace.type = asString(item?.['type'])
  return trace
}
