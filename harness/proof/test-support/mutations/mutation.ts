import type { Exchange, Header, RequirementId, WireChunk } from '../../../../contract/index.ts'

/** Change to a recorded exchange, like that of a conversation that failed on its way. */
export type MutationKind =
  | 'drop'
  | 'repeat'
  | 'reorder'
  | 'retype'
  | 'truncate'
  | 're-chunk'
  | 'corrupt'
  | 'add'

/** One class of mutations, which says what a judge has to say of every one of them. */
export interface Mutation {
  readonly kind: MutationKind
  /** Subject of the change, in words. */
  readonly what: string
  /** The row that must be broken, and no other; null where the mutant is as legal as the original. */
  readonly row: RequirementId | null
  /** Undefined where the class has nothing to do with an exchange. */
  readonly of: (exchange: Exchange) => Mutants | undefined
}

/** The mutants of one exchange, made one at a time: a stream has one for each of its bytes. */
export interface Mutants {
  readonly count: number
  readonly at: (place: number) => Exchange
}

/** Undefined where there are none. */
export function mutantsOf(makers: readonly (() => Exchange)[]): Mutants | undefined {
  if (makers.length === 0) return undefined
  return {
    count: makers.length,
    at: (place) => {
      const make = makers[place]
      if (make === undefined) throw new RangeError(`there is no mutant ${place}`)
      return make()
    },
  }
}

/** The same exchange with another body, in the pieces given. */
export function withPieces(exchange: Exchange, pieces: readonly Uint8Array[]): Exchange {
  const { response, ending } = exchange
  if (response === null) return exchange
  const first = response.chunks[0]?.atMs ?? response.headersAtMs
  const step = (ending.atMs - first) / Math.max(1, pieces.length)
  const chunks = pieces.map((bytes, at): WireChunk => ({ atMs: first + at * step, bytes }))
  return { ...exchange, response: { ...response, chunks } }
}

export function withText(exchange: Exchange, text: string): Exchange {
  return withPieces(exchange, [new TextEncoder().encode(text)])
}

export function withStatus(exchange: Exchange, status: number): Exchange {
  const { response } = exchange
  return response === null ? exchange : { ...exchange, response: { ...response, status } }
}

export function withHeaders(exchange: Exchange, headers: readonly Header[]): Exchange {
  const { response } = exchange
  return response === null ? exchange : { ...exchange, response: { ...response, headers } }
}

export function withMediaType(exchange: Exchange, type: string): Exchange {
  const others = (exchange.response?.headers ?? []).filter(([name]) => name !== 'content-type')
  return withHeaders(exchange, [...others, ['content-type', type]])
}

/** Exchange as if the same answer had been given to another request. */
export function asAnswerTo(exchange: Exchange, request: object): Exchange {
  const body = new TextEncoder().encode(JSON.stringify(request))
  return { ...exchange, request: { ...exchange.request, body } }
}
