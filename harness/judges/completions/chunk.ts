import { asArray, asObject, asString, isObject, type JsonObject } from '../../../contract/json.ts'
import { asIndex } from '../json.ts'
import type { Fragment } from '../sse/alike.ts'
import type { ContentKind, StreamContents } from '../streams.ts'

/** A decoded block of the compatible stream that has choices. */
export type Chunk = Readonly<ReturnType<typeof chunkOf>>

export type ChunkChoice = Readonly<ReturnType<typeof choiceOf>>

export interface ChunkFragment extends Fragment {
  readonly kind: ContentKind
}

/** @param event index of its event in the stream */
export function chunkOf(json: JsonObject, choices: readonly unknown[], event: number) {
  return { event, json, choices: choices.map(choiceOf) }
}

function choiceOf(value: unknown, at: number) {
  const choice = asObject(value) ?? {}
  const { delta, finish_reason: reason } = choice
  return {
    index: asIndex(choice['index']) ?? at,
    delta,
    /** Nonempty texts of the delta. */
    fragments: members.flatMap(([member, kind]): ChunkFragment[] => {
      const text = asString(asObject(delta)?.[member])
      return text ? [{ member, kind, text }] : []
    }),
    /** Fragments of tool calls. */
    calls: asArray(asObject(delta)?.['tool_calls']),
    /** Member of the choice that has text in place of `delta.content`. */
    misplaced: misplacedText(choice),
    /** Undefined if it is absent, null or empty. */
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
  for (const { calls, fragments } of choices) {
    for (const { kind, text } of fragments) contents.add(kind, text)
    if (calls.length > 0) contents.add('tool', '')
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
