/** Requests and replies of handlers: values, no sockets. */
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { SseBlock } from '../events/sequence.ts'
import type { Disruption } from '../model/types.ts'

/** One admitted request; `body` and `query` as parsed by their schemas. */
export interface Call<Body = unknown, Query = unknown> {
  readonly id: string
  readonly method: string
  /** Path without query. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  readonly query: Query
  readonly body: Body
  /** File of a multipart form, whose fields are the body. */
  readonly file: UploadedFile | undefined
  /** Name of the caller, never the key. */
  readonly caller: string
  /** Arrival of the request head, in nanoseconds of the monotonic clock of the machine. */
  readonly receivedNs: bigint
  /** Aborts if the client disconnects before the answer is complete. */
  readonly signal: AbortSignal
}

export interface UploadedFile {
  readonly filename: string
  readonly contentType: string
  readonly bytes: Buffer
}

interface ReplyHead {
  readonly disruption?: Disruption | undefined
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface ValueReply extends ReplyHead {
  /** A JSON value or raw bytes; without it the answer has no content. */
  readonly body?: unknown
}

export interface StreamReply extends ReplyHead {
  readonly blocks: AsyncIterable<SseBlock>
}

export type Reply = ValueReply | StreamReply

interface RouteSpec<Body extends z.ZodType, Query extends z.ZodType> {
  /** Summary for the reference page. */
  readonly summary: string
  /** Format of the body, JSON by default; a form contains one file. */
  readonly accepts?: 'json' | 'form'
  /** Headers that it reads, with their purpose. */
  readonly headers?: Readonly<Record<string, string>>
  /** Status of a success; by default 200, or 204 without content. */
  readonly status?: 200 | 201 | 204
  /** Schema of the body of a success, also for tests of the answers; without it, there is no content. */
  readonly answer?: z.ZodType
  /** Description of the events, on routes that can stream. */
  readonly stream?: string
  readonly body?: Body
  readonly query?: Query
}

export interface Route extends RouteSpec<z.ZodType, z.ZodType> {
  readonly accepts: 'json' | 'form'
  readonly headers: Readonly<Record<string, string>>
  readonly status: 200 | 201 | 204
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path with `:name` for parameters. */
  readonly path: string
  readonly handle: (call: Call) => Promise<Reply>
  /** A page of the server itself, to which pace and deviations do not apply. */
  readonly isPage?: true
}

type Handler<Body extends z.ZodType, Query extends z.ZodType, Result> = (
  call: Call<z.output<Body>, z.output<Query>>,
) => Promise<Result>

/**
 * A route whose handler sees only what its schemas accept, and returns the body of its answer; `reply` is the handler of
 * a route that makes the whole reply itself.
 *
 * @throws ZodError from `handle`, which the server answers with 400
 */
export function route<Body extends z.ZodType, Query extends z.ZodType>(
  method: Route['method'],
  path: string,
  spec: RouteSpec<Body, Query> &
    ({ handle: Handler<Body, Query, unknown> } | { reply: Handler<Body, Query, Reply> }),
): Route {
  const { status = spec.answer === undefined ? 204 : 200, body, query } = spec
  return {
    accepts: 'json',
    headers: {},
    ...spec,
    ...{ status, method, path },
    handle: async (sent) => {
      const call = {
        ...sent,
        body: parsed(body, sent.body) as z.output<Body>,
        query: parsed(query, sent.query) as z.output<Query>,
      }
      return 'reply' in spec ? spec.reply(call) : { status, body: await spec.handle(call) }
    },
  }
}

/** A page of the server itself, such as /docs, which is not part of the service. */
export function pageRoute(
  path: string,
  contentType: string,
  text: () => string | Promise<string>,
): Route {
  const page = route('GET', path, {
    summary: '',
    reply: async () => ({
      status: 200,
      headers: { 'content-type': contentType },
      body: Buffer.from(await text()),
    }),
  })
  return { ...page, isPage: true }
}

/** Schemas are compiled with their first request; all servers of a process share them. */
const compiled = new WeakMap<z.ZodType, z.ZodType>()

function parsed(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined
  const fast = compiled.get(schema) ?? z.compile(schema)
  compiled.set(schema, fast)
  return fast.parse(value)
}
