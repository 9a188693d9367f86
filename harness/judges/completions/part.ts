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
  readonly delta: unknown
  /** Nonempty texts of the delta. */
  readonly fragments: readonly ChunkFragment[]
  /** Member of the choice that has text in place of `delta.content`. */
  readonly misplaced: string | undefined
  /** Undefined if it is absent, null or empty. */
  readonly finishReason: unknown
}

export interface ChunkFragment extends Fragment {
  readonly kind: ContentKind
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

export function chunkOf(json: JsonObject, choices: readonly unknown[], event: number): Chunk {
  return { event, json, choices: choices.map(choiceOf) }
}

function choiceOf(value: unknown, at: number): ChunkChoice {
  const choice = asObject(value) ?? {}
  const { delta, finish_reason: reason } = choice
  return {
    index: asIndex(choice['index']) ?? at,
    delta,
    fragments: isObject(delta) ? fragmentsOf(delta) : [],
    misplaced: misplacedText(choice),
    finishReason: reason === null || reason === '' ? undefined : reason,
  }
}

/** `reasoning_content` and `reasoning` are the fields in which servers of this surface stream their reasoning. */
const members: readonly (readonly [member: string, kind: ContentKind])[] = [
  ['reasoning_content', 'reasoning'],
  ['reasoning', 'reasoning'],
  ['refusal', 'refusal'],
  ['content', 'text'],
]

function fragmentsOf(delta: JsonObject): readonly ChunkFragment[] {
  return members.flatMap(([member, kind]) => {
    const text = delta[member]
    return typeof text === 'string' && text !== '' ? [{ member, kind, text }] : []
  })
}

/** Members in which servers of other formats have the text of a choice. */
function misplacedText({ delta, message, text }: JsonObject): string | undefined {
  if (asString(text)) return 'text'
  if (asString(asObject(message)?.['content'])) return 'message.content'
  return asString(asObject(delta)?.['text']) ? 'delta.text' : undefined
}

/** Adds the contents of a chunk of the compatible stream. */
export function readChunk(contents: StreamContents, { json, choices }: Chunk): void {
  const { id, usage } = json
  if (typeof id === 'string') contents.id ??= id
  if (isObject(usage)) contents.usage = usage
  for (const { delta, fragments } of choices) {
    for (const { kind, text } of fragments) contents.add(kind, text)
    if (asArray(asObject(delta)?.['tool_calls']).length > 0) contents.add('tool', '')
  }
}

/** The only content of a chunk; undefined if it has other: a finish_reason, a usage, a call, a second choice. */
export function loneFragment({ json, choices }: Chunk): ChunkFragment | undefined {
  const [choice, ...others] = choices
  if (choice === undefined || others.length > 0 || json['usage'] != null) return undefined
  const { delta, finishReason, fragments } = choice
  if (finishReason !== undefined || asObject(delta)?.['tool_calls'] != null) return undefined
  return fragments.length === 1 ? fragments[0] : undefined
}

interface PartialCall {
  readonly id: unknown
  readonly type: unknown
  readonly name: unknown
  input: string
}

/** Longer arguments are not stored: a stream may have any length. */
const maxArguments = 1_000_000

/** OAI-TOOL-03: the fragments of `delta.tool_calls`, joined by the index of choice and call. */
export class ToolCallJudge extends ChunkJudge {
  readonly #choices = new Map<number, Map<number, PartialCall>>()
  #cut = false

  override chunk({ choices, event }: Chunk): void {
    for (const { index, delta, finishReason } of choices) {
      if (finishReason === 'length') this.#cut = true
      for (const fragment of asArray(asObject(delta)?.['tool_calls'])) {
        this.#fragment(index, asObject(fragment) ?? {}, event)
      }
    }
  }

  override end({ clean }: StreamEnd): void {
    if (!clean) return
    const { collector, request } = this
    const choices = Array.from(this.#choices.values(), (calls) => [...calls.values()])
    for (const calls of choices) {
      const ids = calls.map(({ id }) => id)
      judgeCallIds(collector, 'OAI-TOOL-03', ids, request)
    }
    for (const { id, type, name, input } of choices.flat()) {
      const cut = this.#cut || input.length > maxArguments
      const call = { id, type, function: { name, arguments: input } }
      judgeToolCall(collector, 'OAI-TOOL-03', call, { request, cut })
    }
  }

  #fragment(choice: number, fragment: JsonObject, event: number): void {
    const { id, type, index: given } = fragment
    const index = asIndex(given)
    if (index === undefined) {
      const why = `The index of a tool_calls fragment is ${show(given)}, not an integer.`
      this.collector.broken('OAI-TOOL-03', why, event)
      return
    }
    const { name, arguments: more } = asObject(fragment['function']) ?? {}
    const calls = this.#choices.get(choice) ?? new Map<number, PartialCall>()
    const call = calls.get(index) ?? { id, type, name, input: '' }
    // Later fragments may omit it, repeat it, or leave it empty.
    if (asString(id) && asString(call.id) && id !== call.id) {
      const why = `The id of a tool call changes from ${show(call.id)} to ${show(id)}.`
      this.collector.broken('OAI-TOOL-03', why, event)
    }
    if (call.input.length <= maxArguments) call.input += asString(more) ?? ''
    this.#choices.set(choice, calls.set(index, call))
  }
}
