/** Reading and changing the chunks of a streamed completion. */
import type { Patch } from '../../../services.ts'
import { type Json, setAt, toList, toObject } from '../../patches/json.ts'
import { onEachBlock } from '../../patches/replies.ts'
import { completions } from '../../patches/routes.ts'

/** Sets a value in every chunk. */
export function setInChunks(path: string, to: unknown): Patch {
  return onEachBlock(completions, (chunk) => [setAt(chunk, path, to)])
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
