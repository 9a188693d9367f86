import type { Ending, RequirementId } from '../../../contract/index.ts'
import { asObject, type JsonObject } from '../../../contract/json.ts'
import { lifecycleEvents, terminalEvents } from '../../../contract/wire.ts'
import { PartialJudge } from '../finding-collector.ts'
import { agrees, show } from '../json.ts'
import type { Block } from '../sse/scanner.ts'
import { EventJudge, type ResponseEvent, type StreamOutcome } from './event.ts'

/** V3-SSE-05, -10, -11 and -21: the response in lifecycle events. */
export class SnapshotJudge extends EventJudge {
  #begun = false
  readonly #first = new Map<string, unknown>()

  override event({ name, json, index }: ResponseEvent): void {
    this.#judgeFirst(name, index)
    const response = asObject(json['response'])
    if (response === undefined || !(lifecycleEvents as readonly string[]).includes(name)) return
    this.#judgeConstant('V3-SSE-10', 'id', response, index)
    this.#judgeConstant('V3-SSE-11', 'created_at', response, index)
    this.#judgeConstant('V3-SSE-11', 'model', response, index)
    this.#judgeStatus(name, response, index)
  }

  /** The document shows a response only in the terminal event: its id then agrees with all others. */
  override end({ ended }: StreamOutcome): void {
    if (!ended || !this.#first.has('id')) return
    this.collector.held('V3-SSE-10', `The only id is ${show(this.#first.get('id'))}.`)
  }

  #judgeFirst(name: string, index: number): void {
    // Events of others, such as those of a queue, are no part of the response.
    if (!this.#begun && !name.startsWith('response.') && name !== 'error') return
    const created = name === 'response.created'
    if (!this.#begun && created) {
      this.collector.held('V3-SSE-05', 'response.created is the first event.', index)
    } else if (!this.#begun) {
      const why = `The first event is ${name}, not response.created.`
      this.collector.broken('V3-SSE-05', why, index)
    } else if (created) {
      this.collector.broken('V3-SSE-05', 'response.created is sent twice.', index)
    }
    this.#begun = true
  }

  #judgeConstant(
    requirement: RequirementId,
    member: string,
    response: JsonObject,
    index: number,
  ): void {
    const value = response[member]
    if (value == null) return
    if (!this.#first.has(member)) {
      this.#first.set(member, value)
      return
    }
    const first = this.#first.get(member)
    const fault =
      !agrees(first, value) && `${member} is ${show(value)}, and was ${show(first)} before.`
    this.collector.decide(requirement, fault, `${member} stays ${show(first)}.`, index)
  }

  #judgeStatus(name: string, response: JsonObject, index: number): void {
    const fault = statusFault(name, response)
    if (fault !== undefined) this.collector.broken('V3-SSE-21', fault, index)
    else if (response['status'] != null) {
      this.collector.held('V3-SSE-21', `${name} shows the status ${response['status']}.`, index)
    }
  }
}

/** A response may be created with status `queued`, and is `in_progress` once it runs. */
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

/** V3-SSE-08, -09 and -29: how the stream ends. */
export class TerminalJudge extends PartialJudge {
  /** Name of the terminal event, once it came. */
  name: string | undefined
  event: number | undefined
  final: JsonObject | undefined
  #marked = false

  /** Tests if an event of this name still belongs to the stream: response.failed may follow error. */
  accepts(name: unknown): boolean {
    return this.name === undefined || (this.name === 'error' && name === 'response.failed')
  }

  see({ name, index, json }: ResponseEvent): void {
    if (!isTerminal(name)) return
    this.name = name
    this.event = index
    this.final = asObject(json['response'])
    if (name !== 'response.completed') return
    if (Array.isArray(this.final?.['output'])) {
      this.collector.held('V3-SSE-09', 'response.completed shows the final response.', index)
      return
    }
    const why =
      this.final === undefined
        ? `response is ${show(json['response'])}, not an object.`
        : `response.output is ${show(this.final['output'])}, not an array.`
    this.collector.broken('V3-SSE-09', `In response.completed, ${why}`, index)
  }

  /** A terminal event with unreadable data ends the stream all the same. */
  seeLost(name: string | null, index: number): void {
    if (name !== null && isTerminal(name)) {
      this.name = name
      this.event = index
    }
  }

  /** A block after the end of the stream. */
  after({ name, data, index }: Block): void {
    const what = name ?? show(data)
    this.collector.broken('V3-SSE-08', `${what} comes after ${this.name}.`, index)
  }

  /** `data: [DONE]`. Clients accept it after the end; inside the stream, most stop reading at it. */
  marker(index?: number): void {
    const fault = this.#marked
      ? 'data: [DONE] is sent twice.'
      : this.name === undefined
        ? 'data: [DONE] comes before the terminal event.'
        : `data: [DONE] follows ${this.name}, which already ends the stream.`
    this.collector.broken('V3-SSE-29', fault, index)
    this.#marked = true
  }

  /** `lost`: an event without a name could not be read; it may have been the terminal one. */
  end(ending: Ending, rest: Block | undefined, lost: boolean): void {
    if (rest?.data?.trim() === '[DONE]') this.marker()
    const fault = this.#faultAt(ending, rest)
    if (this.name === undefined) {
      if (fault !== undefined && !lost) this.collector.broken('V3-SSE-08', fault)
      return
    }
    if (fault !== undefined) this.collector.broken('V3-SSE-08', fault, this.event)
    if (ending.kind !== 'complete') return
    this.collector.held('V3-SSE-08', `${this.name} ends the stream.`, this.event)
    this.collector.held('V3-SSE-29', 'No data: [DONE] follows.')
  }

  #faultAt(ending: Ending, rest: Block | undefined): string | undefined {
    const before = this.name === undefined ? 'before a terminal event' : `after ${this.name}`
    if (ending.kind === 'cut') return `The peer cut the connection ${before}: ${ending.error}.`
    if (ending.kind !== 'complete') return undefined
    if (rest !== undefined && rest.data?.trim() !== '[DONE]') {
      const inside = rest.name === null ? 'a block' : `the block of ${rest.name}`
      return `The stream ends inside ${inside}, which no empty line closes, ${before}.`
    }
    return this.name === undefined ? 'The stream ends without a terminal event.' : undefined
  }
}

function isTerminal(name: string): boolean {
  return (terminalEvents as readonly string[]).includes(name)
}
