import { knownEvents } from '../../contract/event-names.ts'
import { show } from '../json.ts'
import type { Ledger } from '../ledger.ts'
import type { EventJudge, ResponseEvent, StreamOutcome } from './event.ts'

/**
 * V3-SSE-06 and -07, OPEN-30: sequence_number. Events that the contract does not know, and
 * keepalive, may come from a proxy that does not count along.
 */
export class SequenceJudge implements EventJudge {
  readonly #ledger: Ledger
  readonly #numbers: number[] = []
  #last: number | undefined

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  event({ name, json, index }: ResponseEvent): void {
    const number = json['sequence_number']
    const isNumber = typeof number === 'number' && Number.isInteger(number)
    if (isNumber) this.#numbers.push(number)
    if (!knownEvents.has(name) || name === 'keepalive') return
    if (!isNumber) {
      const why = `The sequence_number of ${name} is ${show(number)}, no integer.`
      this.#ledger.broken('V3-SSE-06', why, index)
      return
    }
    this.#ledger.held('V3-SSE-06', 'sequence_number is an integer.', index)
    if (this.#last !== undefined) {
      const why = `sequence_number ${number} of ${name} after ${this.#last}.`
      if (number > this.#last) this.#ledger.held('V3-SSE-07', why, index)
      else this.#ledger.broken('V3-SSE-07', why, index)
    }
    this.#last = number
  }

  end({ ended }: StreamOutcome): void {
    if (ended) this.#ledger.observed('OPEN-30', describe(this.#numbers))
  }
}

function describe(numbers: readonly number[]): string {
  const first = numbers[0]
  if (first === undefined) return 'there is no sequence_number'
  const byOne = numbers.every((number, at) => number === first + at)
  return `starts at ${first}, rises ${byOne ? 'by one' : 'in other steps'}`
}
