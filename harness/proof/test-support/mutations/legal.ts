import {
  bodyBytes,
  bodyText,
  type Exchange,
  header,
  mediaType,
} from '../../../../contract/index.ts'
import {
  type Mutants,
  type Mutation,
  type MutationKind,
  mutantsOf,
  withHeaders,
  withPieces,
  withText,
} from './mutation.ts'

/**
 * Other ways to write the same: they change no finding, of an answer that is right and of one that
 * is not.
 */
export const legalEdits: readonly Mutation[] = [
  {
    kind: 're-chunk',
    what: 'a body, anywhere',
    row: null,
    of: (exchange) => {
      const bytes = bodyBytes(exchange)
      return { count: 1_000_000, at: (place) => withPieces(exchange, cutAnywhere(bytes, place)) }
    },
  },
  {
    kind: 're-chunk',
    what: 'a body, byte by byte',
    row: null,
    of: (exchange) => {
      const bytes = bodyBytes(exchange)
      const pieces = () => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
      return mutantsOf([() => withPieces(exchange, pieces())])
    },
  },
  legal('re-chunk', 'a body, in one piece', bytesOf),
  inHeaders('an unknown header', (type) => [
    ['x-vendor', 'a'],
    ['content-type', type],
  ]),
  inHeaders('the parameters of the media type', (type) => [['content-type', `${type}; q=1`]]),
  inHeaders('the case of the media type', (type) => [['content-type', type.toUpperCase()]]),
  inBlocks('add', 'a comment', (block) => `: keep-alive\n\n${block}`),
  inBlocks('add', 'an id', (block) => `id: 7\n${block}`),
  inBlocks('add', 'retry', (block) => `retry: 1000\n${block}`),
  inBlocks('add', 'an unknown field', (block) => `trace: 7\n${block}`),
  inBlocks('add', 'an unknown event', (block, at) =>
    at === 0 ? block : `event: vendor.ping\ndata: {"vendor":1}\n\n${block}`,
  ),
  inBlocks('add', 'an unknown member', (block) =>
    block.replace(/^data: \{"/m, 'data: {"x_a":[],"'),
  ),
  inBlocks('reorder', 'the lines of a block', (block) => block.split('\n').reverse().join('\n')),
  inBlocks('retype', 'the space behind the colon', (block) => block.replace(/^(\w+): /gm, '$1:')),
  inBlocks('retype', 'one data: line as two', (block) =>
    block.replace(/^data: \{"/m, 'data: {\ndata: "'),
  ),
  wholeStream('retype', 'line ends as CRLF', (bytes) => bytes.replaceAll('\n', '\r\n')),
  wholeStream('retype', 'line ends as CR', (bytes) => bytes.replaceAll('\n', '\r')),
  wholeStream('add', 'a byte order mark', (bytes) => `\xef\xbb\xbf${bytes}`),
  inJson('add', 'an unknown member', (object) => ({ ...object, x_vendor: { a: [1] } })),
  inJson('reorder', 'the members of an object', (object) =>
    Object.fromEntries(Object.entries(object).reverse()),
  ),
  inPrint('retype', 'JSON with spaces', (value) => JSON.stringify(value, null, 2)),
  inPrint('retype', 'JSON in ASCII', (value) =>
    JSON.stringify(value).replaceAll(
      /[^\0-~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  ),
]

/** Several places, up to every byte, decided by a number. */
function cutAnywhere(bytes: Uint8Array, seed: number): readonly Uint8Array[] {
  let state = seed + 1
  const draw = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const maxLength = 1 + draw() * draw() * bytes.length
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + Math.floor(draw() * maxLength)
    pieces.push(bytes.subarray(at, end))
    at = end
  }
  return pieces
}

function legal(
  kind: MutationKind,
  what: string,
  edit: (exchange: Exchange) => string | undefined,
): Mutation {
  const of = (exchange: Exchange): Mutants | undefined => {
    const bytes = edit(exchange)
    return bytes === undefined ? undefined : mutantsOf([() => withBytes(exchange, bytes)])
  }
  return { kind, what, row: null, of }
}

function inHeaders(
  what: string,
  headers: (type: string) => readonly (readonly [string, string])[],
): Mutation {
  return {
    kind: 'retype',
    what,
    row: null,
    of: (exchange) => {
      const old = exchange.response?.headers ?? []
      const type = header(old, 'content-type')
      if (type === undefined) return undefined
      const others = old.filter(([name]) => name !== 'content-type')
      return mutantsOf([() => withHeaders(exchange, [...others, ...headers(type)])])
    },
  }
}

/** One mutant for each block of a stream. */
function inBlocks(
  kind: MutationKind,
  what: string,
  edit: (block: string, at: number) => string,
): Mutation {
  return {
    kind,
    what: `${what} in a stream`,
    row: null,
    of: (exchange) => {
      if (!isStream(exchange)) return undefined
      const blocks = bytesOf(exchange).split('\n\n')
      const rest = blocks.pop() ?? ''
      return mutantsOf(
        blocks.map((block, at) => () => {
          const edited = blocks.with(at, edit(block, at))
          return withBytes(exchange, [...edited, rest].join('\n\n'))
        }),
      )
    },
  }
}

function wholeStream(kind: MutationKind, what: string, edit: (text: string) => string): Mutation {
  return legal(kind, `${what} in a stream`, (exchange) =>
    isStream(exchange) ? edit(bytesOf(exchange)) : undefined,
  )
}

type Json = Readonly<Record<string, unknown>>

/** One mutant for each object of a body. */
function inJson(kind: MutationKind, what: string, edit: (object: Json) => Json): Mutation {
  return {
    kind,
    what: `${what} in a body`,
    row: null,
    of: (exchange) => {
      const body = isStream(exchange) ? undefined : parsed(bodyText(exchange))
      if (body === undefined) return undefined
      let objects = 0
      eachObject(body, (object) => {
        objects += 1
        return object
      })
      return {
        count: objects,
        at: (place) => {
          let count = 0
          const edited = eachObject(body, (object) => {
            count += 1
            return count === place + 1 ? edit(object) : object
          })
          return withText(exchange, JSON.stringify(edited))
        },
      }
    },
  }
}

function inPrint(kind: MutationKind, what: string, print: (value: unknown) => string): Mutation {
  return legal(kind, `${what} in a body`, (exchange) => {
    const body = isStream(exchange) ? undefined : parsed(bodyText(exchange))
    return body === undefined ? undefined : Buffer.from(print(body)).toString('latin1')
  })
}

function eachObject(value: unknown, edit: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((element) => eachObject(element, edit))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, inner]) => [name, eachObject(inner, edit)])
  return edit(Object.fromEntries(members))
}

/** The body with a character for each byte, so that what is no UTF-8 stays what it is. */
function bytesOf(exchange: Exchange): string {
  return Buffer.from(bodyBytes(exchange)).toString('latin1')
}

function withBytes(exchange: Exchange, bytes: string): Exchange {
  return withPieces(exchange, [Buffer.from(bytes, 'latin1')])
}

function isStream(exchange: Exchange): boolean {
  return mediaType(exchange) === 'text/event-stream'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
