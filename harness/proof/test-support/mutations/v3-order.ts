import type { RequirementId } from '../../../../contract/index.ts'
import { setAt } from '../../../../reference-server/deviations/patches/json.ts'
import { type Block, each, inStream, numbered, type Sequence, type Which } from './blocks.ts'
import type { Mutation } from './mutation.ts'

const text = 'response.output_text.delta'
const thought = 'response.reasoning_text.delta'
const call = 'response.function_call_arguments.delta'

/** Events of the v3 stream that are missing, come twice, or come in another order (section 6). */
export const v3OrderMutations: readonly Mutation[] = [
  drop('response.created', 'V3-SSE-05'),
  drop('the terminal event', 'V3-SSE-08', isTerminal),
  drop(text, 'V3-SSE-17', full(text)),
  drop('response.output_item.added of the answer', 'V3-SSE-12', isAddedMessage),
  drop('response.output_item.added of what leads to it', 'V3-SSE-13', isAddedBefore),
  drop('response.content_part.added', 'V3-SSE-13'),
  drop('response.output_text.done', 'V3-SSE-13'),
  drop('response.reasoning_text.done', 'V3-SSE-13'),
  drop('response.content_part.done', 'V3-SSE-13'),
  drop('response.output_item.done', 'V3-SSE-13'),
  drop(thought, 'V3-SSE-18', full(thought)),
  drop(call, 'V3-SSE-18', full(call)),
  drop('response.output_text.annotation.added', 'V3-SSE-28'),
  drop('response.in_progress', null),

  repeat('response.created', 'V3-SSE-05'),
  repeat('the terminal event', 'V3-SSE-08', isTerminal),
  repeat(text, 'V3-SSE-17', full(text)),
  repeat(thought, 'V3-SSE-18', full(thought)),
  repeat(call, 'V3-SSE-18', full(call)),
  repeat('response.output_item.added', 'V3-SSE-13'),
  repeat('response.content_part.added', 'V3-SSE-13'),
  repeat('response.output_text.done', 'V3-SSE-13'),
  repeat('response.content_part.done', 'V3-SSE-13'),
  repeat('response.output_item.done', 'V3-SSE-13'),
  repeat('response.output_text.annotation.added', 'V3-SSE-28'),

  swap('response.created and what follows', 'V3-SSE-05', is('response.created')),
  swap('two fragments of the text', 'V3-SSE-17', unlikePair(text)),
  swap('two fragments of thought', 'V3-SSE-18', unlikePair(thought)),
  swap('the end of a text and of its part', 'V3-SSE-13', is('response.output_text.done')),
  swap('the end of a part and of its item', 'V3-SSE-13', is('response.content_part.done')),
  swap(
    'the last event and the one before',
    'V3-SSE-08',
    (_, at, blocks) => at === blocks.length - 2,
  ),
  inStream('v3', 'reorder', 'the item of the answer behind its text', 'V3-SSE-12', (blocks) => {
    const at = blocks.findIndex((block) => isAddedMessage(block))
    const first = blocks.findIndex(is(text))
    const added = blocks[at]
    if (added === undefined || first < 0) return []
    return [() => numbered(blocks.toSpliced(first + 1, 0, added).toSpliced(at, 1))]
  }),
  inStream('v3', 'reorder', 'the numbers of two neighbours', 'V3-SSE-07', (blocks) =>
    blocks.slice(1).map(
      (_, at): Sequence =>
        () => {
          const pair = blocks.slice(at, at + 2)
          const numbers = pair.map((block) => numberOf(block)).reverse()
          const other = pair.map((block, side) =>
            setAt(block, 'json.sequence_number', numbers[side]),
          )
          return blocks.toSpliced(at, 2, ...other)
        },
    ),
  ),
  inStream('v3', 'reorder', 'the items of the final response', 'V3-SSE-19', (blocks) =>
    blocks.some(({ json }) => typeof json === 'object' && json['response']?.output?.length > 1)
      ? [() => blocks.map((block) => setAt(block, 'json.response.output', reversed))]
      : [],
  ),
  inStream('v3', 'repeat', 'the number of the event before', 'V3-SSE-07', (blocks) =>
    blocks.slice(1).map(
      (block, at): Sequence =>
        () => {
          const before = numberOf(blocks[at])
          return blocks.with(at + 1, setAt(block, 'json.sequence_number', before))
        },
    ),
  ),
]

function drop(what: string, row: RequirementId | null, which: Which = is(what)): Mutation {
  const edits = each(which, () => [])
  return inStream('v3', 'drop', what, row, (blocks) => edits(blocks).map(numberedAnew))
}

function repeat(what: string, row: RequirementId, which: Which = is(what)): Mutation {
  const edits = each(which, (block) => [block, block])
  return inStream('v3', 'repeat', what, row, (blocks) => edits(blocks).map(numberedAnew))
}

/** A block that is meant changes places with the next one. */
function swap(what: string, row: RequirementId, which: Which): Mutation {
  return inStream('v3', 'reorder', what, row, (blocks) =>
    blocks.flatMap((block, at) =>
      which(block, at, blocks)
        ? [() => numbered(blocks.toSpliced(at, 2, ...blocks.slice(at, at + 2).reverse()))]
        : [],
    ),
  )
}

function numberedAnew(make: Sequence): Sequence {
  return () => numbered(make())
}

export function is(...names: readonly string[]): Which {
  return ({ event }) => event !== null && names.includes(event)
}

export function isTerminal({ event }: Block): boolean {
  return event === 'response.completed' || event === 'response.incomplete'
}

/** Deltas that bring something. */
function full(name: string): Which {
  return (block) => block.event === name && deltaOf(block) !== ''
}

function isAddedMessage({ event, json }: Block): boolean {
  return (
    event === 'response.output_item.added' &&
    typeof json === 'object' &&
    json['item'].type === 'message'
  )
}

function isAddedBefore(block: Block): boolean {
  return block.event === 'response.output_item.added' && !isAddedMessage(block)
}

function unlikePair(name: string): Which {
  return (block, at, blocks) => {
    const next = blocks[at + 1]
    if (block.event !== name || next?.event !== name) return false
    const [a, b] = [deltaOf(block), deltaOf(next)]
    return a + b !== b + a
  }
}

function deltaOf({ json }: Block): string {
  return typeof json === 'object' ? String(json['delta']) : ''
}

function numberOf(block: Block | undefined): unknown {
  return typeof block?.json === 'object' ? block.json['sequence_number'] : undefined
}

function reversed(list: unknown): unknown {
  return Array.isArray(list) ? list.toReversed() : list
}
