/** Requests and replies of handlers: values, no sockets. */
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { SseBlock } from '../events/sse.ts'
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

/** Shape of a success, for the reference page and for tests that compare answers with it. */
export interface Answer {
  readonly status: 200 | 201 | 204
  /** Schema of the body; without it, there is no content. */
  readonly body?: z.ZodType
  /** Description of the events, on routes that can stream. */
  readonly stream?: string
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path with `:name` for parameters. */
  readonly path: string
  /** Summary for the reference page. */
  readonly summary: string
  /** Format of the body; a form contains one file. */
  readonly accepts: 'json' | 'form'
  /** Headers that it reads, with their purpose. */
  readonly headers: Readonly<Record<string, string>>
  readonly answer: Answer
  readonly body: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly handle: (call: Call) => Promise<Reply>
  /** A page of the server itself, which its pace and its deviations leave as it is. */
  readonly isPage?: true
}

type Handler<Body extends z.ZodType, Query extends z.ZodType, Result> = (
  call: Call<z.output<Body>, z.output<Query>>,
) => Promise<Result>

interface RouteSpec<Body extends z.ZodType, Query extends z.ZodType> {
  readonly summary: string
  readonly accepts?: Route['accepts']
  readonly headers?: Route['headers']
  /** Status of a success; 200, or 204 without content, by default. */
  readonly status?: Answer['status']
  /** Schema of the body of a success. */
  readonly answer?: z.ZodType
  readonly stream?: string
  readonly body?: Body
  readonly query?: Query
}

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
  const { summary, accepts = 'json', headers = {}, body, query, answer } = spec
  const { status = answer === undefined ? 204 : 200, stream } = spec
  const reply =
    'reply' in spec
      ? spec.reply
      : async (call: Parameters<typeof spec.handle>[0]) => ({
          status,
          body: await spec.handle(call),
        })
  return {
    ...{ method, path, summary, accepts, headers, body, query },
    answer: { status, ...(answer && { body: answer }), ...(stream && { stream }) },
    handle: async (call) =>
      reply({
        ...call,
        body: parsed(body, call.body) as z.output<Body>,
        query: parsed(query, call.query) as z.output<Query>,
      }),
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
