import { asArray, asObject, asString, isObject, type JsonObject } from '../../../contract/json.ts'
import { judgeCallIds, judgeToolCall } from '../bodies/openai.ts'
import { type FindingCollector, PartialJudge } from '../finding-collector.ts'
import { asIndex, show } from '../json.ts'
import type { Fragment } from '../sse/alike.ts'
import type { ContentKind, StreamContents } from '../streams.ts'

/** A decoded block of the compatible stream that has choices. */
export interface Chunk {
  /** Index of its event in the stream. */
  readonly event: number
  readonly json: JsonObject
  readonly choices: readonly ChunkChoice[]
}

export interface ChunkChoice {
  readonly index: number
  /** Undefined if the choice has no index. */
  readonly delta: unknown
  /** Member of the choice that has text in place of `delta.content`. */
  readonly misplaced: string | undefined
  /** Undefined if it is absent, null or empty. */
  readonly finishReason: unknown
}

/** State of a stream at its end, for findings that only its end allows. */
export interface StreamEnd {
  /** The body ended regularly, with nothing left over and no error before. */
  readonly clean: boolean
  /** The server sent `[DONE]`. */
  readonly done: boolean
}

/** Judge of one aspect of the compatible stream, with its own requirements. */
export abstract class ChunkJudge extends PartialJudge {
  protected readonly request: JsonObject

  constructor(collector: FindingCollector, request: JsonObject) {
    super(collector)
    this.request = request
  }

  abstract chunk(chunk: Chunk): void
  end(_: StreamEnd): void {}
}

export function chunkOf(json: JsonObject, event: number): Chunk {
  const choices = Array.isArray(json['choices']) ? json['choices'] : []
  return { event, json, choices: choices.map(choiceOf) }
}

/** `delta.content`, if it is a string. */
export function contentOf(choice: ChunkChoice): string | undefined {
  return asString(asObject(choice.delta)?.['content'])
}

function choiceOf(value: unknown, at: number): ChunkChoice {
  const choice = asObject(value) ?? {}
  const reason = choice['finish_reason']
  return {
    index: asIndex(choice['index']) ?? at,
    delta: choice['delta'],
    misplaced: misplacedText(choice),
    finishReason: reason === null || reason === '' ? undefined : reason,
  }
}

/** Members in which servers of other formats have the text of a choice. */
function misplacedText({ delta, message, text }: JsonObject): string | undefined {
  const places = {
    text,
    'message.content': asObject(message)?.['content'],
    'delta.text': asObject(delta)?.['text'],
  }
  return Object.entries(places).find(([, found]) => asString(found))?.[0]
}

/** Adds the contents of a chunk of the compatible stream. */
export function readChunk(
  contents: StreamContents,
  json: JsonObject,
  choices: readonly unknown[],
): void {
  const { id, usage } = json
  if (typeof id === 'string') contents.id ??= id
  if (isObject(usage)) contents.usage = usage
  for (const choice of choices) {
    const delta = asObject(asObject(choice)?.['delta'])
    if (delta === undefined) continue
    for (const [member, kind] of members) {
      const text = delta[member]
      if (typeof text === 'string' && text !== '') contents.add(kind, text)
    }
    const calls = delta['tool_calls']
    if (Array.isArray(calls) && calls.length > 0) contents.add('tool', '')
  }
}

/** `reasoning_content` and `reasoning` are the fields in which servers of this surface stream their reasoning. */
const members: readonly (readonly [member: string, kind: ContentKind])[] = [
  ['reasoning_content', 'reasoning'],
  ['reasoning', 'reasoning'],
  ['refusal', 'refusal'],
  ['content', 'text'],
]

/** A fragment that is the only content of a chunk. */
export interface ChunkFragment extends Fragment {
  readonly kind: ContentKind
}

/** Undefined if the chunk has other content: a finish_reason, a usage, a call, a second choice. */
export function loneFragment(
  json: JsonObject,
  choices: readonly unknown[],
): ChunkFragment | undefined {
  const choice = asObject(choices[0])
  const delta = asObject(choice?.['delta'])
  if (choices.length !== 1 || choice === undefined || delta === undefined) return undefined
  if (json['usage'] != null || (choice['finish_reason'] ?? '') !== '') return undefined
  if (delta['tool_calls'] != null) return undefined
  const found = members.flatMap(([member, kind]): ChunkFragment[] => {
    const text = delta[member]
    return typeof text === 'string' && text !== '' ? [{ member, kind, text }] : []
  })
  return found.length === 1 ? found[0] : undefined
}

interface PartialCall {
  id: unknown
  type: unknown
  name: unknown
  input: string
}

/** Longer arguments are not stored: a stream may have any length. */
const maxArguments = 1_000_000

/** OAI-TOOL-03: the fragments of `delta.tool_calls`, joined by the index of choice and call. */
export class ToolCallJudge extends ChunkJudge {
  readonly #calls = new Map<string, PartialCall>()
  #cut = false

  override chunk({ choices, event }: Chunk): void {
    for (const { index, delta, finishReason } of choices) {
      if (finishReason === 'length') this.#cut = true
      const fragments = asArray(asObject(delta)?.['tool_calls'])
      for (const fragment of fragments) this.#fragment(index, asObject(fragment), event)
    }
  }

  override end({ clean }: StreamEnd): void {
    if (!clean) return
    const choices = Map.groupBy(this.#calls, ([key]) => key.split('/')[0])
    for (const calls of choices.values()) {
      const ids = calls.map(([, { id }]) => id)
      judgeCallIds(this.collector, 'OAI-TOOL-03', ids, this.request)
    }
    for (const { id, type, name, input } of this.#calls.values()) {
      const cut = this.#cut || input.length > maxArguments
      const call = { id, type, function: { name, arguments: input } }
      judgeToolCall(this.collector, 'OAI-TOOL-03', call, { request: this.request, cut })
    }
  }

  #fragment(choice: number, fragment: JsonObject | undefined, event: number): void {
    const index = asIndex(fragment?.['index'])
    if (fragment === undefined || index === undefined) {
      const why = `The index of a tool_calls fragment is ${show(fragment?.['index'])}, not an integer.`
      this.collector.broken('OAI-TOOL-03', why, event)
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
      this.collector.broken('OAI-TOOL-03', why, event)
    }
    if (call.input.length <= maxArguments) call.input += asString(called['arguments']) ?? ''
    this.#calls.set(key, call)
  }
}
