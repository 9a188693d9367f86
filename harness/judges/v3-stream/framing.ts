import { asObject, type JsonObject, parseJson } from '../../../contract/json.ts'
import { knownEvents } from '../../../contract/wire.ts'
import { PartialJudge } from '../finding-collector.ts'
import { show } from '../json.ts'
import type { Block } from '../sse/scanner.ts'
import { EventJudge, type ResponseEvent, type StreamOutcome } from './event.ts'

/** Result of reading a block: an event or nothing, and whether an event was lost. */
export interface Reading {
  readonly event?: ResponseEvent
  readonly lost: boolean
}

/**
 * V3-SSE-02, -03, -04 and -26: blocks of one `event:` line and JSON whose type is the name, in UTF-8. Events
 * outside the contract need no type: no client reads them.
 */
export class FramingJudge extends PartialJudge {
  read(block: Block): Reading {
    const { data, index, name, invalidAt } = block
    if (invalidAt !== null) {
      this.collector.broken('V3-SSE-26', `Byte ${invalidAt} of the stream is not UTF-8.`, index)
      return { lost: true }
    }
    this.collector.held('V3-SSE-26', 'Every line decodes as UTF-8.')
    // Fields without a meaning for any event: id, retry, unknown fields.
    if (data === null && block.names === 0) return { lost: false }
    const json = data === null ? undefined : asObject(parseJson(data))
    if (json === undefined) {
      const received = data === null ? 'no data: line' : `data: ${show(data)}, not a JSON object`
      this.collector.broken('V3-SSE-02', `The block of ${show(name)} has ${received}.`, index)
      return { lost: name === null || knownEvents.has(name) }
    }
    this.#judgeName(block)
    const event = this.#judgeType(block, json)
    return event === undefined ? { lost: true } : { event, lost: false }
  }

  #judgeName({ names, name, index }: Block): void {
    if (names === 1 && name !== null) {
      this.collector.held('V3-SSE-02', 'One event: line, and a JSON object as data.')
    } else {
      const found = ['no event: line', 'an empty event: line'][names] ?? `${names} event: lines`
      this.collector.broken('V3-SSE-02', `The block has ${found}.`, index)
    }
  }

  #judgeType({ name, index }: Block, json: JsonObject): ResponseEvent | undefined {
    const { type } = json
    const means = meaningOf(name, type)
    if (means === undefined) return undefined
    if (name !== null) {
      if (type === undefined) this.collector.held('V3-SSE-03', 'The data has no type.')
      else if (type === name) {
        this.collector.held('V3-SSE-03', 'type is the name of the event.', index)
      } else {
        const why = `The event is ${show(name)}, but the type in its data is ${show(type)}.`
        this.collector.broken('V3-SSE-03', why, index)
      }
    }
    if (type !== undefined) this.collector.held('V3-SSE-04', 'The data has a type.')
    else if (knownEvents.has(means)) {
      const why = `The data of ${means} has no type, and some clients drop such an event.`
      this.collector.broken('V3-SSE-04', why, index)
    }
    return { index, name: means, json }
  }
}

/**
 * Treats one wrong name as one fault: if the event line and the type differ, the event counts as the one of
 * the two that the contract knows, so that the rest of the stream still makes sense.
 */
export function meaningOf(name: string | null, type: unknown): string | undefined {
  if (name !== null && knownEvents.has(name)) return name
  if (typeof type === 'string' && (name === null || knownEvents.has(type))) return type
  return name ?? undefined
}

/**
 * V3-SSE-06 and -07, OPEN-30: sequence_number. Events outside the contract, and keepalive, may come from a
 * proxy that does not number events.
 */
export class SequenceJudge extends EventJudge {
  readonly #numbers: number[] = []
  #last: number | undefined
  #name = ''
  #rose = false

  override event({ name, json, index }: ResponseEvent): void {
    const number = json['sequence_number']
    const isNumber = typeof number === 'number' && Number.isInteger(number)
    if (isNumber) this.#numbers.push(number)
    if (!knownEvents.has(name) || name === 'keepalive') return
    if (!isNumber) {
      const why = `The sequence_number of ${name} is ${show(number)}, not an integer.`
      this.collector.broken('V3-SSE-06', why, index)
      return
    }
    this.#name = name
    this.collector.held('V3-SSE-06', 'sequence_number is an integer.', index)
    this.#compare(number, index)
  }

  override again(_text: string, number: number | undefined, index: number): void {
    if (number === undefined) return
    this.#numbers.push(number)
    this.#compare(number, index)
  }

  #compare(number: number, index: number): void {
    const last = this.#last
    this.#last = number
    if (last === undefined) return
    const rises = number > last
    if (rises && this.#rose) return
    const why = `The sequence_number of ${this.#name} is ${number}, after ${last}.`
    this.collector.decide('V3-SSE-07', !rises && why, why, index)
    this.#rose ||= rises
  }

  override end({ ended }: StreamOutcome): void {
    if (ended) this.collector.observed('OPEN-30', describe(this.#numbers))
  }
}

function describe(numbers: readonly number[]): string {
  const first = numbers[0]
  if (first === undefined) return 'there is no sequence_number'
  const byOne = numbers.every((number, at) => number === first + at)
  return `starts at ${first}, rises ${byOne ? 'by one' : 'in other steps'}`
}
