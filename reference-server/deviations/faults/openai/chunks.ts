/** Reading and changing the chunks of a streamed completion. */
import type { Refit } from '../../../parts.ts'
import { put } from '../../json-edit.ts'
import { completions, type Json, listOf, objectOf, onEachBlock } from '../../seams.ts'

/** Every chunk with another value at a path. */
export function everyChunk(path: string, to: unknown): Refit {
  return onEachBlock(completions, (chunk) => [put(chunk, path, to)])
}

/** Every fragment of text as something else. */
export function everyFragment(to: (text: string) => unknown): Refit {
  return onEachBlock(completions, (chunk) =>
    textOf(chunk) === '' ? [chunk] : [put(chunk, 'choices.*.delta.content', to(textOf(chunk)))],
  )
}

export function textOf(chunk: Json): string {
  const text = objectOf(listOf(chunk['choices'])[0]?.['delta'])['content']
  return typeof text === 'string' ? text : ''
}

export function finished(chunk: Json): boolean {
  return typeof listOf(chunk['choices'])[0]?.['finish_reason'] === 'string'
}
