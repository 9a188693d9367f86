import { lifecycleEvents } from '../../../contract/event-names.ts'
import type { RequirementId } from '../../../contract/index.ts'
import { asObject, type JsonObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { agrees, show } from '../json.ts'
import type { EventJudge, ResponseEvent, StreamOutcome } from './event.ts'

/** V3-SSE-05, -10, -11 and -21: the response that lifecycle events show. */
export class SnapshotJudge implements EventJudge {
  readonly #collector: FindingCollector
  #begun = false
  readonly #first = new Map<string, unknown>()

  constructor(collector: FindingCollector) {
    this.#collector = collector
  }

  event({ name, json, index }: ResponseEvent): void {
    this.#judgeFirst(name, index)
    const response = asObject(json['response'])
    if (response === undefined || !(lifecycleEvents as readonly string[]).includes(name)) return
    this.#judgeConstant('V3-SSE-10', 'id', response, index)
    this.#judgeConstant('V3-SSE-11', 'created_at', response, index)
    this.#judgeConstant('V3-SSE-11', 'model', response, index)
    this.#judgeStatus(name, response, index)
  }

  again(): void {}

  /** The document has a response in the terminal event alone: its id then agrees with every other. */
  end({ ended }: StreamOutcome): void {
    if (!ended || !this.#first.has('id')) return
    this.#collector.held('V3-SSE-10', `The only id is ${show(this.#first.get('id'))}.`)
  }

  #judgeFirst(name: string, index: number): void {
    const created = name === 'response.created'
    if (!this.#begun && created) {
      this.#collector.held('V3-SSE-05', 'response.created is the first event.', index)
    } else if (!this.#begun) {
      const why = `The first event is ${name}, not response.created.`
      this.#collector.broken('V3-SSE-05', why, index)
    } else if (created) {
      this.#collector.broken('V3-SSE-05', 'response.created is sent twice.', index)
    }
    this.#begun = true
  }

  #judgeConstant(row: RequirementId, member: string, response: JsonObject, index: number): void {
    const value = response[member]
    if (value == null) return
    if (!this.#first.has(member)) {
      this.#first.set(member, value)
      return
    }
    const first = this.#first.get(member)
    if (agrees(first, value)) this.#collector.held(row, `${member} stays ${show(first)}.`, index)
    else
      this.#collector.broken(
        row,
        `${member} is ${show(value)}, and was ${show(first)} before.`,
        index,
      )
  }

  #judgeStatus(name: string, response: JsonObject, index: number): void {
    const fault = statusFault(name, response)
    if (fault !== undefined) this.#collector.broken('V3-SSE-21', fault, index)
    else if (response['status'] != null) {
      this.#collector.held('V3-SSE-21', `${name} shows the status ${response['status']}.`, index)
    }
  }
}

/** A response may be created in a queue, and `in_progress` is what it is once it runs. */
const statuses: Readonly<Record<string, readonly string[]>> = {
  'response.created': ['in_progress', 'queued'],
}

function statusFault(name: string, response: JsonObject): string | undefined {
  const { status, error, incomplete_details: details } = response
  const allowed = statuses[name] ?? [name.replace('response.', '')]
  if (status != null && !allowed.includes(String(status))) {
    return `${name} shows the status ${show(status)}.`
  }
  if (error != null && name !== 'response.failed') return `${name} shows the error ${show(error)}.`
  if (details != null && name !== 'response.incomplete') {
    return `${name} shows the incomplete_details ${show(details)}.`
  }
  return undefined
}
