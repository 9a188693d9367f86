import type { Ending, RequirementId } from '../../../contract/index.ts'
import { asObject, type JsonObject } from '../../../contract/json.ts'
import { lifecycleEvents, terminalEvents } from '../../../contract/wire.ts'
import { type FindingCollector, PartialJudge } from '../finding-collector.ts'
import { agrees, show, wordOf } from '../json.ts'
import type { Block } from '../sse/scanner.ts'
import type { EventJudge, ResponseEvent } from './event.ts'

/** Members that stay the same in all lifecycle events. */
const constants = { id: 'V3-SSE-10', created_at: 'V3-SSE-11', model: 'V3-SSE-11' } as const

/** V3-SSE-05, -10, -11 and -21: the response in lifecycle events. */
export function snapshotJudge(collector: FindingCollector): EventJudge {
  let hasBegun = false
  const first = new Map<string, unknown>()

  function judgeFirst(name: string, index: number): void {
    // Events of others, such as those of a queue, are not part of the response.
    if (!hasBegun && !name.startsWith('response.') && name !== 'error') return
    const isCreated = name === 'response.created'
    if (hasBegun && isCreated) {
      collector.broken('V3-SSE-05', 'response.created is sent twice.', index)
    } else if (!hasBegun) {
      const other = !isCreated && `The first event is ${name}, not response.created.`
      collector.decide('V3-SSE-05', other, 'response.created is the first event.', index)
    }
    hasBegun = true
  }

  function judgeConstant(
    requirement: RequirementId,
    member: string,
    value: unknown,
    index: number,
  ): void {
    if (value == null) return
    const before = first.get(member)
    if (before === undefined) {
      first.set(member, value)
      return
    }
    const fault =
      !agrees(before, value) && `${member} is ${show(value)}, and was ${show(before)} before.`
    collector.decide(requirement, fault, `${member} stays ${show(before)}.`, index)
  }

  return {
    event({ name, json, index }) {
      judgeFirst(name, index)
      const response = asObject(json['response'])
      if (response === undefined || !(lifecycleEvents as readonly string[]).includes(name)) return
      for (const [member, requirement] of Object.entries(constants)) {
        judgeConstant(requirement, member, response[member], index)
      }
      const fault = statusFault(name, response)
      if (fault === undefined && response['status'] == null) return
      const held = `${name} shows the status ${wordOf(response['status'])}.`
      collector.decide('V3-SSE-21', fault, held, index)
    },
    /** The document shows a response only in the terminal event: its id then agrees with all others. */
    end({ ended }) {
      if (!ended || !first.has('id')) return
      collector.held('V3-SSE-10', `The only id is ${show(first.get('id'))}.`)
    },
  }
}

/** A response may be created with status `queued`, and is `in_progress` once it runs. */
function statusFault(name: string, response: JsonObject): string | undefined {
  const { status, error, incomplete_details: details } = response
  const isCreated = name === 'response.created'
  const allowed = isCreated ? ['in_progress', 'queued'] : [name.replace('response.', '')]
  if (status != null && !(typeof status === 'string' && allowed.includes(status))) {
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
    if (!this.seeName(name, index)) return
    this.final = asObject(json['response'])
    if (name !== 'response.completed') return
    const output = this.final?.['output']
    if (Array.isArray(output)) {
      this.collector.held('V3-SSE-09', 'response.completed shows the final response.', index)
      return
    }
    const why = this.final
      ? `response.output is ${show(output)}, not an array.`
      : `response is ${show(json['response'])}, not an object.`
    this.collector.broken('V3-SSE-09', `In response.completed, ${why}`, index)
  }

  /** A terminal event ends the stream, even with data that cannot be read. */
  seeName(name: string | null, index: number): boolean {
    if (!(terminalEvents as readonly unknown[]).includes(name)) return false
    this.name = name ?? undefined
    this.event = index
    return true
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
    const isKnown = this.name !== undefined
    if (fault !== undefined && (isKnown || !lost)) {
      this.collector.broken('V3-SSE-08', fault, this.event)
    }
    if (!isKnown || ending.kind !== 'complete') return
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
