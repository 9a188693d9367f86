/** Event streams framed in other ways that the rules of event streams allow. */
import type { Patch } from '../../../services.ts'
import { editLines, escapeJson, rechunkAll, rewriteJson } from '../../patches/framing.ts'
import type { Dialect } from '../../types.ts'
import { alternatives } from '../alternatives.ts'

/** To be the last to work on a block: the others read its lines. */
export const lineEnds = alternatives([
  {
    name: 'line-ends-crlf',
    summary: 'The lines of streams end with CRLF.',
    patch: editLines((lines) => lines, '\r\n'),
  },
  {
    name: 'line-ends-cr',
    summary: 'The lines of streams end with CR alone.',
    patch: editLines((lines) => lines, '\r'),
  },
])

export const framing: readonly Dialect[] = [
  ...alternatives([
    {
      name: 'json-over-several-lines',
      summary: 'The JSON of a block is pretty-printed over several data: lines.',
      patch: rewriteJson((value) => JSON.stringify(value, null, 2)),
    },
    {
      name: 'json-escaped',
      summary: 'All that is not ASCII, and every slash, is escaped in the JSON of a block.',
      patch: rewriteJson((value) => escapeJson(JSON.stringify(value))),
    },
    {
      name: 'json-sorted',
      summary: 'The members of each JSON object are sorted by name.',
      patch: rewriteJson((value) => JSON.stringify(value, sortMembers)),
    },
  ]),
  {
    name: 'no-space-after-colon',
    summary: 'No space follows the colon of a field.',
    patch: editLines((lines) => lines.map((line) => line.replace(/^(\w+): /, '$1:'))),
  },
  {
    name: 'data-before-event',
    summary: 'The event: line follows the data: lines of its block.',
    patch: editLines((lines) => [
      ...lines.filter((line) => !line.startsWith('event:')),
      ...lines.filter((line) => line.startsWith('event:')),
    ]),
  },
  {
    name: 'comment-heartbeats',
    summary: 'Comments stand between the blocks, some with an empty line behind them.',
    patch: editLines((lines) => [': heartbeat', '', ':', ...lines]),
  },
  {
    name: 'comments-inside-blocks',
    summary: 'A comment stands between the lines of each block.',
    patch: editLines((lines) =>
      lines.flatMap((line, at) => (at === 0 ? [line, ':data: {'] : [line])),
    ),
  },
  {
    name: 'blank-lines-more',
    summary: 'Three empty lines stand between the blocks.',
    patch: editLines((lines) => ['', '', ...lines]),
  },
  {
    name: 'other-fields',
    summary: 'Blocks have id: and retry: lines, and a field that nobody knows.',
    patch: numberBlocks(),
  },
  {
    name: 'byte-order-mark',
    summary: 'Each stream begins with a byte order mark.',
    patch: rechunkAll(async function* (chunks) {
      yield Buffer.from('\ufeff')
      yield* chunks
    }),
  },
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
