import type { JsonObject } from '../../../contract/json.ts'
import type { Place } from './kinds.ts'

/** Content of one output item in the stream. */
export interface ItemTrace {
  readonly index: number
  id: string | undefined
  type: string | undefined
  /** The item of output_item.added; undefined where none came for it. */
  added: JsonObject | undefined
  /** The item of output_item.done. */
  done: JsonObject | undefined
  /** Progress of a tool call: rank of its last progress event. */
  progress: number
  readonly slots: SlotTrace[]
}

/** Content of one part of an item in the stream: a text, a refusal, a summary, the arguments. */
export interface SlotTrace {
  readonly place: Place
  /** The index that its events show. */
  readonly index: number
  /** Place among the parts of the item, whatever index is shown. */
  readonly ordinal: number
  /** Type of the part, where it is known. */
  type: string | undefined
  /** True if its part was added. */
  added: boolean
  readonly deltas: string[]
  /** A delta was no string: the text is not known. */
  spoiled: boolean
  /** An `end text` event came, with this value. */
  textEnded: boolean
  text: string | undefined
  /** The part of content_part.done or of its like. */
  part: JsonObject | undefined
  readonly annotations: unknown[]
}

/**
 * Finds an item in the final response: the one with its id, or the one in its place. A stream
 * of few events may show items that its final response leaves out.
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
