/** Streams written otherwise, native and compatible ones alike, as edits of the lines of a block. */
import type { Patch } from '../services.ts'

/** The lines of one block, without the empty one that closes it; an empty one closes one before. */
export type Lines = readonly string[]

/** Works on what earlier refits made of a block, and keeps their line ends. */
export function editLines(change: (lines: Lines) => Lines, lineEnd?: '\r' | '\r\n'): Patch {
  return (services) => ({
    ...services,
    encode: (block) => {
      const text = Buffer.from(services.encode(block)).toString()
      const before = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n'
      const end = lineEnd ?? before
      const lines = change(text.split(before).slice(0, -2))
      return Buffer.from([...lines, '', ''].join(end))
    },
  })
}

/** The JSON of a block, in as many data lines as it is made. */
export function rewriteJson(write: (value: unknown) => string): Patch {
  return editLines((lines) => {
    const field = lines.find((line) => line.startsWith('data:'))
    const data = lines
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).replace(/^ /, ''))
      .join('\n')
    if (field === undefined || data === '[DONE]') return lines
    const start = field.startsWith('data: ') ? 'data: ' : 'data:'
    const written = write(JSON.parse(data))
      .split('\n')
      .map((line) => start + line)
    const others = lines.filter((line) => !line.startsWith('data:'))
    return [...others, ...written]
  })
}

/** As escapes wherever JSON allows them. */
export function escapeJson(text: string): string {
  return text
    .replace(/[^\0-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/')
}
