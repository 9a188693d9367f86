import {
  bodyBytes,
  type Exchange,
  mediaType,
  type OperationId,
  operationAt,
  type RequirementId,
  requestJson,
  requestPath,
} from '../../../../contract/index.ts'
import { isStreamOf, type Json, type Streamed } from './blocks.ts'
import { isInOnePiece } from './bodies.ts'
import {
  asAnswerTo,
  type Mutants,
  type Mutation,
  mutantsOf,
  withMediaType,
  withPieces,
  withStatus,
  withText,
} from './mutation.ts'

/** Changes to whole answers on their way: bytes, status, media type. */
export const transportMutations: readonly Mutation[] = [
  endsEarly('v3', 'V3-SSE-08'),
  endsEarly('openai', 'OAI-STREAM-09'),
  isCut('v3', 'V3-SSE-08'),
  isCut('openai', 'OAI-STREAM-12'),
  notUtf8('v3', 'V3-SSE-26'),
  notUtf8('openai', 'OAI-STREAM-01'),
  lostBrace('v3', 'V3-SSE-02'),
  lostBrace('openai', 'OAI-STREAM-01'),
  ...inOnePiece('openai.chat', 'OAI-CHAT-01'),
  ...inOnePiece('v2.message', 'V2-MSG-01'),
  ...inOnePiece('v2.generate', 'V2-GEN-01'),
  ...inOnePiece('v3.history', 'V3-HIST-01'),
  ...inOnePiece('v3.generate', 'V3-GEN-01'),
  ...inOnePiece('v3.oneShot', 'V3-ONE-01'),
  otherStatus('v3.generate', [201, 202, 206], 'V3-SSE-01'),
  otherStatus('v3.oneShot', [201, 202, 206], 'V3-ONE-02'),
  otherType('v3.generate', 'text/event-stream', 'V3-SSE-01'),
  otherType('v3.oneShot', 'text/event-stream', 'V3-ONE-02'),
  otherType('openai.chat', 'text/event-stream', 'OAI-STREAM-02'),
  otherType('openai.chat', 'application/json', 'OAI-CHAT-11'),
  otherRequest('max_tokens of the request', 'v3.generate', { max_tokens: 1 }, 'V3-GEN-10'),
  otherRequest('max_tokens of the request', 'openai.chat', { max_tokens: 1 }, 'OAI-MAXTOK-01'),
  {
    kind: 'retype',
    what: 'think of the request',
    row: 'V3-SSE-24',
    of: (exchange) => {
      const request = requestJson(exchange) as Json | undefined
      if (!isStreamOf('v3', exchange) || request?.['think'] !== true) return undefined
      return mutantsOf(
        [false, undefined].map((think) => () => asAnswerTo(exchange, { ...request, think })),
      )
    },
  },
]

/** The body ends as if it were whole, behind any of its bytes from the second block on. */
function endsEarly(surface: Streamed, row: RequirementId): Mutation {
  return {
    kind: 'truncate',
    what: `a stream of ${surface}, at any byte`,
    row,
    of: (exchange) => inBytes(surface, exchange, (bytes, at) => [bytes.subarray(0, at)]),
  }
}

function isCut(surface: Streamed, row: RequirementId): Mutation {
  return {
    kind: 'truncate',
    what: `a stream of ${surface}, at any byte, with its connection`,
    row,
    of: (exchange) => {
      const { atMs } = exchange.ending
      const ending = { kind: 'cut', atMs, error: 'other side closed' } as const
      return inBytes(surface, { ...exchange, ending }, (bytes, at) => [bytes.subarray(0, at)])
    },
  }
}

/** A byte that no character has, in place of any but a line end. */
function notUtf8(surface: Streamed, row: RequirementId): Mutation {
  return {
    kind: 'corrupt',
    what: `a byte of a stream of ${surface}`,
    row,
    of: (exchange) =>
      inBytes(surface, exchange, (bytes, at) => {
        const place = bytes[at] === 10 ? (bytes[at - 1] === 10 ? at - 2 : at - 1) : at
        return [bytes.with(place, 0xff)]
      }),
  }
}

function lostBrace(surface: Streamed, row: RequirementId): Mutation {
  return {
    kind: 'corrupt',
    what: `the JSON of a block of ${surface}`,
    row,
    of: (exchange) => {
      if (!isStreamOf(surface, exchange)) return undefined
      const bytes = bodyBytes(exchange)
      const objectEnds = [...bytes.keys()].filter((at) => bytes[at] === 125 && bytes[at + 1] === 10)
      return mutantsOf(objectEnds.map((at) => () => withPieces(exchange, [bytes.with(at, 32)])))
    },
  }
}

function inBytes(
  surface: Streamed,
  exchange: Exchange,
  make: (bytes: Uint8Array, at: number) => readonly Uint8Array[],
): Mutants | undefined {
  if (!isStreamOf(surface, exchange)) return undefined
  const bytes = bodyBytes(exchange)
  const first = new TextDecoder('latin1').decode(bytes).indexOf('\n\n') + 2
  return {
    count: bytes.length - first,
    at: (place) => withPieces(exchange, make(bytes, first + place)),
  }
}

function inOnePiece(operation: OperationId, row: RequirementId): readonly Mutation[] {
  return [
    {
      kind: 'truncate',
      what: `the body of ${operation}, at any byte`,
      row,
      of: (exchange) => {
        if (!isInOnePiece(operation, exchange)) return undefined
        const bytes = bodyBytes(exchange)
        return {
          count: bytes.length,
          at: (place) => withPieces(exchange, [bytes.subarray(0, place)]),
        }
      },
    },
    {
      kind: 'retype',
      what: `the body of ${operation}`,
      row,
      of: (exchange) =>
        isInOnePiece(operation, exchange)
          ? mutantsOf(
              ['<p>It works.', '[]', '7', '"text"', 'null'].map(
                (text) => () => withText(exchange, text),
              ),
            )
          : undefined,
    },
  ]
}

function otherStatus(
  operation: OperationId,
  statuses: readonly number[],
  row: RequirementId,
): Mutation {
  return {
    kind: 'retype',
    what: `the status of a stream of ${operation}`,
    row,
    of: (exchange) =>
      is(operation, 'text/event-stream', exchange)
        ? mutantsOf(statuses.map((status) => () => withStatus(exchange, status)))
        : undefined,
  }
}

function otherType(operation: OperationId, type: string, row: RequirementId): Mutation {
  return {
    kind: 'retype',
    what: `${type} of ${operation}`,
    row,
    of: (exchange) =>
      is(operation, type, exchange)
        ? mutantsOf(
            ['text/plain', 'text/html'].map((other) => () => withMediaType(exchange, other)),
          )
        : undefined,
  }
}

/** The answer is as recorded, and the request asked for less. */
function otherRequest(
  what: string,
  operation: OperationId,
  more: object,
  row: RequirementId,
): Mutation {
  return {
    kind: 'retype',
    what: `${what} of ${operation}`,
    row,
    of: (exchange) => {
      if (!is(operation, 'application/json', exchange)) return undefined
      const request = requestJson(exchange) as Json
      return mutantsOf([() => asAnswerTo(exchange, { ...request, ...more })])
    },
  }
}

function is(operation: OperationId, type: string, exchange: Exchange): boolean {
  const { method } = exchange.request
  return operationAt(method, requestPath(exchange)) === operation && mediaType(exchange) === type
}
