import { knownEvents } from '../../../contract/event-names.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import type { EventJudge, ResponseEvent, StreamOutcome } from './event.ts'

/**
 * V3-SSE-06 and -07, OPEN-30: sequence_number. Events that the contract does not know, and
 * keepalive, may come from a proxy that does not count along.
 */
export class SequenceJudge implements EventJudge {
  readonly #collector: FindingCollector
  readonly #numbers: number[] = []
  #last: number | undefined
  #name = ''
  #rose = false

  constructor(collector: FindingCollector) {
    this.#collector = collector
  }

  event({ name, json, index }: ResponseEvent): void {
    const number = json['sequence_number']
    const isNumber = typeof number === 'number' && Number.isInteger(number)
    if (isNumber) this.#numbers.push(number)
    if (!knownEvents.has(name) || name === 'keepalive') return
    if (!isNumber) {
      const why = `The sequence_number of ${name} is ${show(number)}, not an integer.`
      this.#collector.broken('V3-SSE-06', why, index)
      return
    }
    this.#name = name
    this.#collector.held('V3-SSE-06', 'sequence_number is an integer.', index)
    this.#compare(number, index)
  }

  again(_text: string, number: number | undefined, index: number): void {
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
    if (rises) this.#collector.held('V3-SSE-07', why, index)
    else this.#collector.broken('V3-SSE-07', why, index)
    this.#rose ||= rises
  }

  end({ ended }: StreamOutcome): void {
    if (ended) this.#collector.observed('OPEN-30', describe(this.#numbers))
  }
}

function describe(numbers: readonly number[]): string {
  const first = numbers[0]
  if (first === undefined) return 'there is no sequence_number'
  const byOne = numbers.every((number, at) => number === first + at)
  return `starts at ${first}, rises ${byOne ? 'by one' : 'in other steps'}`
}
