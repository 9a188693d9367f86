/** Legal variants of the framing of event streams. */
import type { Patch } from '../../../services.ts'
import { editLines, escapeJson, rechunkAll, rewriteJson } from '../../patches/framing.ts'
import { alternatives, dialectTable } from '../../table.ts'
import type { Dialect } from '../../types.ts'

/** Must be applied last: the other patches read the lines of a block. */
export const lineEnds = alternatives({
  'line-ends-crlf: Lines of streams end with CRLF.': editLines((lines) => lines, '\r\n'),
  'line-ends-cr: Lines of streams end with CR only.': editLines((lines) => lines, '\r'),
})

export const framing: readonly Dialect[] = [
  ...dialectTable({
    'no-space-after-colon: Fields of a block have no space after the colon.': editLines((lines) =>
      lines.map((line) => line.replace(/^(\w+): /, '$1:')),
    ),
    'data-before-event: The event: line follows the data: lines of its block.': editLines(
      (lines) => [
        ...lines.filter((line) => !line.startsWith('event:')),
        ...lines.filter((line) => line.startsWith('event:')),
      ],
    ),
    'comment-heartbeats: Comment lines are sent between blocks, some followed by an empty line.':
      editLines((lines) => [': heartbeat', '', ':', ...lines]),
    'comments-inside-blocks: Each block contains a comment line.': editLines((lines) =>
      lines.flatMap((line, at) => (at === 0 ? [line, ':data: {'] : [line])),
    ),
    'blank-lines-more: Blocks are separated by three empty lines.': editLines((lines) => [
      '',
      '',
      ...lines,
    ]),
    'other-fields: Blocks contain id: and retry: lines and unknown fields.': numberBlocks(),
    'byte-order-mark: Streams start with a byte order mark.': rechunkAll(async function* (chunks) {
      yield Buffer.from('\ufeff')
      yield* chunks
    }),
  }),
  ...alternatives({
    'json-over-several-lines: The JSON of a block is pretty-printed over several data: lines.':
      rewriteJson((value) => JSON.stringify(value, null, 2)),
    'json-escaped: Non-ASCII characters and slashes are escaped in the JSON of blocks.':
      rewriteJson((value) => escapeJson(JSON.stringify(value))),
    'json-sorted: The members of JSON objects in blocks are sorted by name.': rewriteJson((value) =>
      JSON.stringify(value, sortMembers),
    ),
  }),
]

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function numberBlocks(): Patch {
  let blocks = 0
  return editLines((lines) => {
    blocks += 1
    return [`id: ${blocks}`, 'retry: 3000', ...lines, 'x-node: 7', 'trace']
  })
}
