import { type Exchange, type RequirementId, requestJson } from '../../../../contract/index.ts'
import { setAt } from '../../../../reference-server/deviations/patches/json.ts'
import {
  type Block,
  blocksOf,
  each,
  inStream,
  isStreamOf,
  type Json,
  type Which,
} from './blocks.ts'
import { asAnswerTo, type Mutation, type MutationKind, mutantsOf } from './mutation.ts'

/** Chunks of the compatible stream (section 4.1; the contract behind it). */
export const openaiStreamMutations: readonly Mutation[] = [
  changed('drop', '[DONE]', 'OAI-STREAM-09', isDone, () => []),
  changed('drop', 'the chunk with the finish_reason', 'OAI-STREAM-07', isFinish, () => []),
  changed('drop', 'the chunk with the role', 'OAI-STREAM-06', isFirst, () => []),
  changed('drop', 'the usage that was asked for', 'OAI-STREAM-08', isUsage, () => []),
  inStream('openai', 'drop', 'all fragments', 'OAI-STREAM-04', (blocks, exchange) =>
    isCut(exchange) ? [] : [() => blocks.filter((block) => !isFragment(block))],
  ),
  changed('repeat', '[DONE]', 'OAI-STREAM-09', isDone, twice),
  changed('repeat', 'the finish_reason', 'OAI-STREAM-07', isFinish, twice),
  changed('repeat', 'the usage', 'OAI-STREAM-08', isUsage, twice),
  changed('repeat', 'the role as that of the user', 'OAI-STREAM-06', isFragment, (block) => [
    setAt(block, 'json.choices.0.delta.role', 'user'),
  ]),
  moved('the last fragment behind its finish', 'OAI-STREAM-07', isFragment, isFinish),
  moved('the last chunk behind [DONE]', 'OAI-STREAM-09', isBeforeDone, isDone),
  moved('a finish behind the usage', 'OAI-STREAM-08', isFinish, isUsage),
  retype('the id of a chunk', 'OAI-STREAM-05', isLater, 'id', ['another', 7, undefined]),
  retype('created of a chunk', 'OAI-STREAM-05', isLater, 'created', [1, '1', undefined]),
  retype('the model of a chunk', 'OAI-STREAM-05', isLater, 'model', ['another', undefined]),
  retype('the object of a chunk', 'OAI-STREAM-05', isChunk, 'object', [
    'chat.completion',
    undefined,
    7,
  ]),
  retype('a fragment', 'OAI-STREAM-03', isFragment, 'choices.0.delta.content', [7, {}, [], true]),
  retype('a delta', 'OAI-STREAM-03', isFragment, 'choices.0.delta', ['text', 7, []]),
  retype('the role', 'OAI-STREAM-06', isFirst, 'choices.0.delta.role', ['model', 7, undefined]),
  retype('the finish_reason', 'OAI-STREAM-07', isFinish, 'choices.0.finish_reason', [7, {}, true]),
  retype('choices', 'OAI-STREAM-01', isChunk, 'choices', [{}, 'none', 7]),
  retype('usage that nobody asked for', 'OAI-STREAM-08', isUnaskedFinish, 'usage', [
    { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  ]),
  otherRequest('a request that stops at the middle of a chunk', 'OAI-STOP-05', (fragments) =>
    fragments.slice(0, -1).flatMap((fragment) => (fragment.length > 3 ? [fragment.trim()] : [])),
  ),
  otherRequest('a request that stops across two chunks', 'OAI-STOP-04', (fragments) =>
    fragments.slice(0, -2).flatMap((fragment, at) => {
      const pair = fragment.slice(-2) + (fragments[at + 1] ?? '').slice(0, 3)
      return fragments.some((whole) => whole.includes(pair)) ? [] : [pair]
    }),
  ),
]

function changed(
  kind: MutationKind,
  what: string,
  row: RequirementId,
  which: Which,
  become: (block: Block) => readonly Block[],
): Mutation {
  return inStream('openai', kind, what, row, each(which, become))
}

function retype(
  what: string,
  row: RequirementId,
  which: Which,
  path: string,
  values: readonly unknown[],
): Mutation {
  const edits = values.map((value) => each(which, (block) => [setAt(block, `json.${path}`, value)]))
  return inStream('openai', 'retype', what, row, (blocks) => edits.flatMap((edit) => edit(blocks)))
}

/** The last of some blocks goes behind the first of others. */
function moved(what: string, row: RequirementId, which: Which, behind: Which): Mutation {
  return inStream('openai', 'reorder', what, row, (blocks) => {
    const from = blocks.findLastIndex(which)
    const to = blocks.findIndex(behind)
    const mover = blocks[from]
    if (mover === undefined || to < from) return []
    return [() => blocks.toSpliced(to + 1, 0, mover).toSpliced(from, 1)]
  })
}

/** The answer is as recorded, and the request asked it to stop before. */
function otherRequest(
  what: string,
  row: RequirementId,
  stops: (fragments: readonly string[]) => readonly string[],
): Mutation {
  return {
    kind: 'retype',
    what,
    row,
    of: (exchange) => {
      if (!isStreamOf('openai', exchange)) return undefined
      const { stop: _, ...request } = requestJson(exchange) as Json
      const fragments = blocksOf(exchange).filter(isFragment).map(contentOf)
      return mutantsOf(
        stops(fragments).map((stop) => () => asAnswerTo(exchange, { ...request, stop })),
      )
    },
  }
}

function twice(block: Block): readonly Block[] {
  return [block, block]
}

function isDone({ json }: Block): boolean {
  return json === '[DONE]'
}

function isBeforeDone(_: Block, at: number, blocks: readonly Block[]): boolean {
  return at === blocks.findIndex(isDone) - 1
}

function isChunk({ json }: Block): boolean {
  return typeof json === 'object' && json['choices'].length > 0
}

function isFirst(block: Block, at: number): boolean {
  return at === 0 && isChunk(block)
}

function isLater(block: Block, at: number): boolean {
  return at > 0 && isChunk(block)
}

function isFinish(block: Block): boolean {
  return choiceOf(block)?.['finish_reason'] != null
}

function isUsage({ json }: Block): boolean {
  return typeof json === 'object' && json['usage'] != null
}

function isUnaskedFinish(block: Block, _at: number, blocks: readonly Block[]): boolean {
  return isFinish(block) && !blocks.some(isUsage)
}

function isFragment(block: Block): boolean {
  return contentOf(block) !== ''
}

function contentOf(block: Block): string {
  return choiceOf(block)?.['delta'].content ?? ''
}

function choiceOf({ json }: Block): Json | undefined {
  return typeof json === 'object' ? json['choices'][0] : undefined
}

/** An answer that was cut or stopped may be without text. */
function isCut(exchange: Exchange): boolean {
  const { stop } = requestJson(exchange) as Json
  return (
    stop !== undefined ||
    blocksOf(exchange).some((block) => choiceOf(block)?.['finish_reason'] === 'length')
  )
}
