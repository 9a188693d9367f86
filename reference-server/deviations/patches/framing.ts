/** Patches of streams below their events: blocks, lines and bytes. */
import { isUtf8 } from 'node:buffer'
import { parseJson } from '../../../contract/json.ts'
import type { SseBlock } from '../../events/sequence.ts'
import type { Call } from '../../http/call.ts'
import type { Patch } from '../../services.ts'
import { matches, type Where } from './requests.ts'

export interface NamedBlock {
  readonly event: string
  readonly data: object | '[DONE]'
}

/** Rewrites blocks of the v3 stream; undefined leaves a block unchanged. */
export function rewriteBlocks(
  write: (block: NamedBlock, original: Buffer) => Uint8Array | string | undefined,
): Patch {
  return (services) => ({
    ...services,
    encode: (block) => {
      const original = Buffer.from(services.encode(block))
      if (!isNamed(block)) return original
      const other = write(block, original)
      return typeof other === 'string' ? Buffer.from(other) : (other ?? original)
    },
  })
}

function isNamed(block: SseBlock): block is NamedBlock {
  return block.event !== undefined
}

/**
 * Lines of one block without the empty line that ends it; further empty lines split it into several blocks.
 * Each character represents a byte, so that an earlier patch can produce invalid UTF-8.
 */
export type Lines = readonly string[]

/** Edits the lines of all blocks, after earlier patches, and keeps their line ends by default. */
export function editLines(change: (lines: Lines) => Lines, lineEnd?: '\r' | '\r\n'): Patch {
  return (services) => ({
    ...services,
    encode: (block) => {
      const text = Buffer.from(services.encode(block)).toString('latin1')
      const before = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n'
      const lines = text.split(before)
      const length = lines.findLastIndex((line) => line !== '') + 1
      const edited = [...change(lines.slice(0, length)), ...lines.slice(length)]
      return Buffer.from(edited.join(lineEnd ?? before), 'latin1')
    },
  })
}

/**
 * Serializes the JSON of all blocks; each line of the result becomes a `data:` line. Data that is not JSON in
 * UTF-8, or that a fault has spread over several blocks, stays unchanged.
 */
export function rewriteJson(write: (value: unknown) => string): Patch {
  return editLines((lines) => {
    const field = lines.find((line) => line.startsWith('data:'))
    const data = lines
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).replace(/^ /, ''))
      .join('\n')
    const bytes = Buffer.from(data, 'latin1')
    const value = isUtf8(bytes) ? parseJson(bytes.toString()) : undefined
    if (field === undefined || value === undefined || lines.includes('')) return lines
    const start = field.startsWith('data: ') ? 'data: ' : 'data:'
    const written = Buffer.from(write(value))
      .toString('latin1')
      .split('\n')
      .map((line) => start + line)
    const others = lines.filter((line) => !line.startsWith('data:'))
    return [...others, ...written]
  })
}

/** Escapes all characters outside printable ASCII, and slashes, in JSON text. */
export function escapeJson(text: string): string {
  return text
    .replace(/[^\0-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/')
}

/** Splits the bytes of streams into other chunks. */
export function rechunk(
  where: Where,
  change: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): Patch {
  return (services) => {
    const streamed = new WeakSet<Call>()
    return {
      ...services,
      outgoing: (call, reply) => {
        const original = services.outgoing(call, reply)
        if ('blocks' in original && matches(where, call)) streamed.add(call)
        return original
      },
      bytes: (call, chunks) => {
        const original = services.bytes(call, chunks)
        return streamed.has(call) ? change(original) : original
      },
    }
  }
}

/** Joins chunks as soon as enough of them are held. */
export async function* joinChunks(
  chunks: AsyncIterable<Uint8Array>,
  isEnough: (held: readonly Uint8Array[]) => boolean | Promise<boolean>,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  for await (const chunk of chunks) {
    held.push(chunk)
    if (!(await isEnough(held))) continue
    yield Buffer.concat(held)
    held = []
  }
  if (held.length > 0) yield Buffer.concat(held)
}
