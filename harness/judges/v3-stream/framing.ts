import { knownEvents } from '../../../contract/event-names.ts'
import { asObject, type JsonObject, parseJson } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import type { Block } from '../sse/scanner.ts'
import type { ResponseEvent } from './event.ts'

/** Result of reading a block: an event or nothing, and if something was lost with it. */
export interface Reading {
  readonly event?: ResponseEvent
  readonly lost: boolean
}

/**
 * V3-SSE-02, -03, -04 and -26: blocks of one `event:` line and JSON, of the type that they are
 * named after, in UTF-8. Events that the contract does not know owe no type: nobody looks for one.
 */
export class FramingJudge {
  readonly #collector: FindingCollector

  constructor(collector: FindingCollector) {
    this.#collector = collector
  }

  read(block: Block): Reading {
    const { data, index, name } = block
    if (block.invalidAt !== null) return this.#notUtf8(block)
    this.#collector.held('V3-SSE-26', 'Every line decodes as UTF-8.')
    // What a client never sees and no event is meant by: id, retry, unknown fields.
    if (data === null && block.names === 0) return { lost: false }
    const json = data === null ? undefined : asObject(parseJson(data))
    if (json === undefined) {
      const received = data === null ? 'no data: line' : `data: ${show(data)}, not a JSON object`
      this.#collector.broken('V3-SSE-02', `The block of ${show(name)} has ${received}.`, index)
      return { lost: name === null || knownEvents.has(name) }
    }
    this.#judgeName(block)
    const event = this.#judgeType(block, json)
    return event === undefined ? { lost: true } : { event, lost: false }
  }

  #notUtf8({ invalidAt, index }: Block): Reading {
    this.#collector.broken('V3-SSE-26', `Byte ${invalidAt} of the stream is not UTF-8.`, index)
    return { lost: true }
  }

  #judgeName({ names, name, index }: Block): void {
    if (names === 1 && name !== null) {
      this.#collector.held('V3-SSE-02', 'One event: line, and a JSON object as data.')
    } else {
      const found =
        names === 0
          ? 'no event: line'
          : names === 1
            ? 'an empty event: line'
            : `${names} event: lines`
      this.#collector.broken('V3-SSE-02', `The block has ${found}.`, index)
    }
  }

  #judgeType({ name, index, atMs }: Block, json: JsonObject): ResponseEvent | undefined {
    const { type } = json
    const means = meaningOf(name, type)
    if (means === undefined) return undefined
    if (name !== null) {
      if (type === undefined) this.#collector.held('V3-SSE-03', 'The data has no type.')
      else if (type === name) {
        this.#collector.held('V3-SSE-03', 'type is the name of the event.', index)
      } else {
        const why = `The event is ${show(name)}, but the type in its data is ${show(type)}.`
        this.#collector.broken('V3-SSE-03', why, index)
      }
    }
    if (type !== undefined) this.#collector.held('V3-SSE-04', 'The data has a type.')
    else if (knownEvents.has(means)) {
      const why = `The data of ${means} has no type, and some clients drop such an event.`
      this.#collector.broken('V3-SSE-04', why, index)
    }
    return { index, atMs, name: means, json }
  }
}

/**
 * One wrong name is one fault: where the event line and the type differ, the event is taken for the
 * one of the two that the contract knows, so that the rest of the stream still makes sense.
 */
export function meaningOf(name: string | null, type: unknown): string | undefined {
  if (name !== null && knownEvents.has(name)) return name
  if (typeof type === 'string' && (name === null || knownEvents.has(type))) return type
  return name ?? undefined
}
