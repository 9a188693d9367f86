/** Reading and changing the chunks of a streamed completion. */
import type { Patch } from '../../../services.ts'
import { type Fields, type Json, setAll, setAt, toList, toObject } from '../../patches/json.ts'
import { onEachBlock } from '../../patches/replies.ts'
import { completions } from '../../patches/routes.ts'

/** Sets fields in every chunk. */
export function setInChunks(fields: Fields): Patch {
  return onEachBlock(completions, (chunk) => [setAll(chunk, fields)])
}

/** Maps every text fragment. */
export function mapFragments(to: (text: string) => unknown): Patch {
  return onEachBlock(completions, (chunk) =>
    textOf(chunk) === '' ? [chunk] : [setAt(chunk, 'choices.*.delta.content', to(textOf(chunk)))],
  )
}

export function textOf(chunk: Json): string {
  const text = toObject(toList(chunk['choices'])[0]?.['delta'])['content']
  return typeof text === 'string' ? text : ''
}

export function isFinished(chunk: Json): boolean {
  return typeof toList(chunk['choices'])[0]?.['finish_reason'] === 'string'
}
