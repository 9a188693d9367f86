import { asArray, asObject, asString, type JsonObject } from '../../../contract/json.ts'
import type { FindingCollector } from '../finding-collector.ts'
import { asIndex, show } from '../json.ts'
import { judgeCallIds, judgeToolCall } from '../tool-calls.ts'
import type { Chunk, ChunkJudge, StreamEnd } from './part.ts'

interface PartialCall {
  id: unknown
  type: unknown
  name: unknown
  input: string
}

/** Longer arguments are not stored: a stream may have any length. */
const maxArguments = 1_000_000

/** OAI-TOOL-03: the fragments of `delta.tool_calls`, joined by the index of choice and call. */
export class ToolCallJudge implements ChunkJudge {
  readonly #collector: FindingCollector
  readonly #request: JsonObject
  readonly #calls = new Map<string, PartialCall>()
  #cut = false

  constructor(collector: FindingCollector, request: JsonObject) {
    this.#collector = collector
    this.#request = request
  }

  chunk({ choices, event }: Chunk): void {
    for (const { index, delta, finishReason } of choices) {
      if (finishReason === 'length') this.#cut = true
      const fragments = asObject(delta)?.['tool_calls']
      if (fragments == null) continue
      for (const fragment of asArray(fragments)) this.#fragment(index, asObject(fragment), event)
    }
  }

  end({ clean }: StreamEnd): void {
    if (!clean) return
    const choices = Map.groupBy(this.#calls, ([key]) => key.split('/')[0])
    for (const calls of choices.values()) {
      const ids = calls.map(([, { id }]) => id)
      if (asArray(this.#request['tools']).length > 0) {
        judgeCallIds(this.#collector, 'OAI-TOOL-03', ids)
      }
    }
    for (const { id, type, name, input } of this.#calls.values()) {
      const cut = this.#cut || input.length > maxArguments
      const call = { id, type, function: { name, arguments: input } }
      judgeToolCall(this.#collector, 'OAI-TOOL-03', call, { request: this.#request, cut })
    }
  }

  #fragment(choice: number, fragment: JsonObject | undefined, event: number): void {
    const index = asIndex(fragment?.['index'])
    if (fragment === undefined || index === undefined) {
      const why = `The index of a tool_calls fragment is ${show(fragment?.['index'])}, not an integer.`
      this.#collector.broken('OAI-TOOL-03', why, event)
      return
    }
    const called = asObject(fragment['function']) ?? {}
    const key = `${choice}/${index}`
    const call = this.#calls.get(key) ?? {
      id: fragment['id'],
      type: fragment['type'],
      name: called['name'],
      input: '',
    }
    const { id } = fragment
    // Later fragments may omit it, repeat it, or leave it empty.
    if (asString(id) && asString(call.id) && id !== call.id) {
      const why = `The id of a tool call changes from ${show(call.id)} to ${show(id)}.`
      this.#collector.broken('OAI-TOOL-03', why, event)
    }
    if (call.input.length <= maxArguments) call.input += asString(called['arguments']) ?? ''
    this.#calls.set(key, call)
  }
}
