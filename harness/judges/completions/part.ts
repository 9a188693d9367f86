import { asObject, asString, type JsonObject } from '../../../contract/json.ts'
import { asIndex } from '../json.ts'

/** A decoded block of the compatible stream that has choices. */
export interface Chunk {
  /** Index of its event in the stream. */
  readonly event: number
  readonly json: JsonObject
  readonly choices: readonly ChunkChoice[]
}

export interface ChunkChoice {
  readonly index: number
  /** Undefined if the choice has none. */
  readonly delta: unknown
  /** Undefined if it is absent, null or empty. */
  readonly finishReason: unknown
}

/** State of a stream at its end, for findings that only its end allows. */
export interface StreamEnd {
  /** The body came to its regular end, with nothing left over and no error on the way. */
  readonly clean: boolean
  /** The server said that it is done: by `[DONE]`. */
  readonly done: boolean
}

/** One idea of the compatible stream, with the rows it owns. */
export interface ChunkJudge {
  chunk(chunk: Chunk): void
  end(end: StreamEnd): void
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
    finishReason: reason === null || reason === '' ? undefined : reason,
  }
}
