import {
  bodyText,
  type Exchange,
  mediaType,
  type OperationId,
  operationAt,
  type RequirementId,
  requestPath,
} from '../../../../contract/index.ts'
import { type Mutation, type MutationKind, mutantsOf, withPieces } from './mutation.ts'

/** A block of a recorded stream, as the reference server writes them. */
export interface Block {
  readonly event: string | null
  readonly json: Json | '[DONE]'
}

// biome-ignore lint/suspicious/noExplicitAny: mutations reach deep into recorded events
export type Json = Readonly<Record<string, any>>

/** Another sequence of blocks, made when it is asked for. */
export type Sequence = () => readonly Block[]

export type Streamed = 'v3' | 'openai'

/** A class of mutations of whole streams: each sequence that `edits` returns is a mutant. */
export function inStream(
  surface: Streamed,
  kind: MutationKind,
  what: string,
  row: RequirementId | null,
  edits: (blocks: readonly Block[], exchange: Exchange) => readonly Sequence[],
): Mutation {
  return {
    kind,
    what,
    row,
    of: (exchange) => {
      if (!isStreamOf(surface, exchange)) return undefined
      const makers = edits(blocksOf(exchange), exchange)
      return mutantsOf(makers.map((make) => () => withBlocks(exchange, make())))
    },
  }
}

const operations: Readonly<Record<Streamed, readonly (OperationId | undefined)[]>> = {
  v3: ['v3.generate', 'v3.oneShot'],
  openai: ['openai.chat'],
}

export function isStreamOf(surface: Streamed, exchange: Exchange): boolean {
  const operation = operationAt(exchange.request.method, requestPath(exchange))
  return mediaType(exchange) === 'text/event-stream' && operations[surface].includes(operation)
}

export function blocksOf(exchange: Exchange): readonly Block[] {
  const texts = bodyText(exchange).split('\n\n')
  return texts.filter((text) => text.trim() !== '').map(readBlock)
}

function readBlock(text: string): Block {
  const fields = text.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line))
  const read = (name: string) => fields.find((field) => field?.[1] === name)?.[2]
  const data = read('data') ?? ''
  return { event: read('event') ?? null, json: data === '[DONE]' ? data : JSON.parse(data) }
}

/** Each block is a piece of its own. */
export function withBlocks(exchange: Exchange, blocks: readonly Block[]): Exchange {
  const encoder = new TextEncoder()
  return withPieces(
    exchange,
    blocks.map((block) => encoder.encode(writeBlock(block))),
  )
}

function writeBlock({ event, json }: Block): string {
  const data = typeof json === 'string' ? json : JSON.stringify(json)
  return `${event === null ? '' : `event: ${event}\n`}data: ${data}\n\n`
}

/** Numbers the events anew, so that a missing or a moved one is all that is wrong. */
export function numbered(blocks: readonly Block[]): readonly Block[] {
  let number = 0
  return blocks.map((block) => {
    if (typeof block.json === 'string' || typeof block.json['sequence_number'] !== 'number') {
      return block
    }
    number += 1
    return { ...block, json: { ...block.json, sequence_number: number - 1 } }
  })
}

export type Which = (block: Block, at: number, blocks: readonly Block[]) => boolean

/** One sequence for each block that is meant, in which it has become several, one or none. */
export function each(
  which: Which,
  become: (block: Block, at: number, blocks: readonly Block[]) => readonly Block[],
): (blocks: readonly Block[]) => readonly Sequence[] {
  return (blocks) =>
    blocks.flatMap((block, at) =>
      which(block, at, blocks) ? [() => blocks.toSpliced(at, 1, ...become(block, at, blocks))] : [],
    )
}
