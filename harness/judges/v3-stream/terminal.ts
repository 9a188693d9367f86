import { terminalEvents } from '../../../contract/event-names.ts'
import type { Ending } from '../../../contract/index.ts'
import { asObject, type JsonObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import type { Block } from '../sse/scanner.ts'
import type { ResponseEvent } from './event.ts'

/** V3-SSE-08, -09 and -29: how the stream ends. */
export class TerminalJudge {
  /** Name of the terminal event, once it came. */
  name: string | undefined
  event: number | undefined
  final: JsonObject | undefined
  readonly #collector: FindingCollector
  #marked = false

  constructor(collector: FindingCollector) {
    this.#collector = collector
  }

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
      this.#collector.held('V3-SSE-09', 'response.completed shows the final response.', index)
      return
    }
    const why =
      this.final === undefined
        ? `response is ${show(json['response'])}, not an object.`
        : `response.output is ${show(this.final['output'])}, not an array.`
    this.#collector.broken('V3-SSE-09', `In response.completed, ${why}`, index)
  }

  /** A terminal event whose data could not be read ends the stream all the same. */
  seeLost(name: string | null, index: number): void {
    if (name !== null && isTerminal(name)) {
      this.name = name
      this.event = index
    }
  }

  /** A block that comes although the stream is over. */
  after({ name, data, index }: Block): void {
    const what = name ?? show(data)
    this.#collector.broken('V3-SSE-08', `${what} comes after ${this.name}.`, index)
  }

  /** `data: [DONE]`. Every client takes it after the end; inside the stream most stop reading at it. */
  marker(index?: number): void {
    const fault = this.#marked
      ? 'data: [DONE] is sent twice.'
      : this.name === undefined
        ? 'data: [DONE] comes before the terminal event.'
        : `data: [DONE] follows ${this.name}, which already ends the stream.`
    this.#collector.broken('V3-SSE-29', fault, index)
    this.#marked = true
  }

  /** `lost`: an event without a name could not be read, and may have been the terminal one. */
  end(ending: Ending, rest: Block | undefined, lost: boolean): void {
    if (rest?.data?.trim() === '[DONE]') this.marker()
    const fault = this.#faultAt(ending, rest)
    if (this.name === undefined) {
      if (fault !== undefined && !lost) this.#collector.broken('V3-SSE-08', fault)
      return
    }
    if (fault !== undefined) this.#collector.broken('V3-SSE-08', fault, this.event)
    if (ending.kind !== 'complete') return
    this.#collector.held('V3-SSE-08', `${this.name} ends the stream.`, this.event)
    this.#collector.held('V3-SSE-29', 'No data: [DONE] follows.')
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
