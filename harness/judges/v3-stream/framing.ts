import { asObject, asString, parseJson } from '../../../contract/json.ts'
import { knownEvents } from '../../../contract/wire.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import type { Block } from '../sse/scanner.ts'
import type { ResponseEvent, StreamOutcome } from './event.ts'

/**
 * V3-SSE-02, -03, -04 and -26: blocks of one `event:` line and JSON whose type is the name, in UTF-8. Events
 * outside the contract need no type: no client reads them.
 * @returns the event, or whether one was lost
 */
export function readEvent(
  collector: FindingCollector,
  { data, index, name, names, invalidAt }: Block,
): ResponseEvent | 'lost' | undefined {
  if (invalidAt !== null) {
    collector.broken('V3-SSE-26', `Byte ${invalidAt} of the stream is not UTF-8.`, index)
    return 'lost'
  }
  collector.held('V3-SSE-26', 'Every line decodes as UTF-8.')
  // Fields without a meaning for any event: id, retry, unknown fields.
  if (data === null && names === 0) return undefined
  const json = data === null ? undefined : asObject(parseJson(data))
  if (json === undefined) {
    const received = data === null ? 'no data: line' : `data: ${show(data)}, not a JSON object`
    collector.broken('V3-SSE-02', `The block of ${show(name)} has ${received}.`, index)
    return name === null || knownEvents.has(name) ? 'lost' : undefined
  }
  if (names === 1 && name !== null) {
    collector.held('V3-SSE-02', 'One event: line, and a JSON object as data.')
  } else {
    const found = ['no event: line', 'an empty event: line'][names] ?? `${names} event: lines`
    collector.broken('V3-SSE-02', `The block has ${found}.`, index)
  }
  const { type } = json
  const means = meaningOf(name, type)
  if (means === undefined) return 'lost'
  if (type === undefined) {
    if (name !== null) collector.held('V3-SSE-03', 'The data has no type.')
    const why = `The data of ${means} has no type; some clients drop such an event.`
    if (knownEvents.has(means)) collector.broken('V3-SSE-04', why, index)
  } else {
    const other =
      type !== name && `The event is ${show(name)}, but the type in its data is ${show(type)}.`
    const same = 'type is the name of the event.'
    if (name !== null) collector.decide('V3-SSE-03', other, same, index)
    collector.held('V3-SSE-04', 'The data has a type.')
  }
  const delta = asString(json['delta'])
  return { index, name: means, json, texts: delta === undefined ? [] : [delta] }
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
export function sequenceJudge(collector: FindingCollector) {
  const numbers: number[] = []
  let last: number | undefined
  let name = ''
  let rose = false

  function compare(number: number, index: number): void {
    const before = last
    last = number
    if (before === undefined) return
    const rises = number > before
    if (rises && rose) return
    const why = `The sequence_number of ${name} is ${number}, after ${before}.`
    collector.decide('V3-SSE-07', !rises && why, why, index)
    rose ||= rises
  }

  return {
    event(event: ResponseEvent): void {
      const number = event.json['sequence_number']
      const isNumber = typeof number === 'number' && Number.isInteger(number)
      if (isNumber) numbers.push(number)
      if (!knownEvents.has(event.name) || event.name === 'keepalive') return
      const fault =
        !isNumber && `The sequence_number of ${event.name} is ${show(number)}, not an integer.`
      collector.decide('V3-SSE-06', fault, 'sequence_number is an integer.', event.index)
      if (!isNumber) return
      name = event.name
      compare(number, event.index)
    },
    /** The last event with another number, which it need not have. */
    again(number: number | undefined, index: number): void {
      if (number === undefined) return
      numbers.push(number)
      compare(number, index)
    },
    end({ ended }: StreamOutcome): void {
      if (!ended) return
      const [first] = numbers
      const byOne = numbers.every((number, at) => number === (first ?? 0) + at)
      const course = `starts at ${first}, rises ${byOne ? 'by one' : 'in other steps'}`
      collector.observed('OPEN-30', first === undefined ? 'there is no sequence_number' : course)
    },
  }
}
