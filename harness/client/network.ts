import { performance } from 'node:perf_hooks'
import { Agent, type buildConnector, type Dispatcher } from 'undici'
import type { Ending, Exchange, Header, StreamEvent, WireChunk } from '../contract/index.ts'
import { createEventDecoder, type EventDecoder } from './events.ts'
import { directNetwork, type NetworkOptions } from './network-options.ts'
import { createSocketOpener } from './sockets.ts'
import type { Outgoing, Pending, Transport } from './transport.ts'

/**
 * Idle connections are given up before common servers close them (Node's default is 5 s), so that
 * a request is not sent into a connection that is being closed.
 */
const keepAliveMs = 1_000

/** A stream may run long as long as it says something; this is the end of patience, in silences. */
const longestInSilences = 10

/** Speaks HTTP/1.1 with undici; one arrival time for each read of the socket. */
export function createNetworkTransport(network: NetworkOptions = directNetwork): Transport {
  const agent = new Agent({
    allowH2: false,
    connect: connectorOf(network),
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    pipelining: 1,
    maxHeaderSize: 64 * 1024,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return { send: (outgoing) => converse(agent, outgoing), close: () => agent.destroy() }
}

function connectorOf(network: NetworkOptions): buildConnector.connector {
  const opener = createSocketOpener(network)
  return ({ protocol, host = '' }, done) => {
    opener.open(new URL(`${protocol}//${host}`), 'http/1.1').then(
      (socket) => done(null, socket),
      (error) => done(error, null),
    )
  }
}

function converse(agent: Agent, outgoing: Outgoing): Pending {
  const conversation = new Conversation(outgoing)
  const { request } = outgoing
  const { origin, pathname, search } = new URL(request.url)
  agent.dispatch(
    {
      origin,
      path: `${pathname}${search}`,
      method: request.method as Dispatcher.HttpMethod,
      headers: request.headers.flat(),
      body: request.body,
    },
    conversation,
  )
  return { answered: conversation.answered.promise, exchange: conversation.ended.promise }
}

/** Collects what arrives; undici calls it. */
class Conversation implements Dispatcher.DispatchHandler {
  readonly answered = Promise.withResolvers<void>()
  readonly ended = Promise.withResolvers<Exchange>()
  private readonly outgoing: Outgoing
  private readonly startedAt = new Date().toISOString()
  private readonly start = performance.now()
  private readonly silence: NodeJS.Timeout
  private readonly patience: NodeJS.Timeout
  private readonly chunks: WireChunk[] = []
  private readonly events: StreamEvent[] = []
  private head: { status: number; headers: Header[]; headersAtMs: number } | undefined
  private decoder: EventDecoder | undefined
  private controller: Dispatcher.DispatchController | undefined
  private left: 'aborted' | 'timeout' | undefined

  constructor(outgoing: Outgoing) {
    this.outgoing = outgoing
    const giveUp = () => this.leave('timeout')
    this.silence = setTimeout(giveUp, outgoing.timeoutMs)
    this.patience = setTimeout(giveUp, outgoing.timeoutMs * longestInSilences)
    outgoing.signal?.addEventListener('abort', this.abort, { once: true })
    if (outgoing.signal?.aborted) this.abort()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.left) controller.abort(new Error(this.left))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return
    this.silence.refresh()
    const headers = pairs(controller.rawHeaders)
    this.head = { status, headers, headersAtMs: this.sinceStart() }
    if (isEventStream(headers)) this.decoder = createEventDecoder()
    this.answered.resolve()
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    this.silence.refresh()
    const chunk = { atMs: this.sinceStart(), bytes: new Uint8Array(bytes) }
    this.chunks.push(chunk)
    if (!this.decoder) return
    this.events.push(...this.decoder.push(chunk))
    const { leaveAfterEvents } = this.outgoing
    if (leaveAfterEvents !== undefined && this.events.length >= leaveAfterEvents) {
      this.leave('aborted')
    }
  }

  onResponseEnd(): void {
    this.end({ kind: this.left ?? 'complete', atMs: this.sinceStart() })
  }

  onResponseError(_: unknown, error: Error): void {
    const atMs = this.sinceStart()
    if (this.left) this.end({ kind: this.left, atMs })
    else if (this.head) this.end({ kind: 'cut', atMs, error: rootMessage(error) })
    else this.end({ kind: 'unreachable', atMs, code: codeOf(error), error: rootMessage(error) })
  }

  private readonly abort = () => this.leave('aborted')

  private leave(why: 'aborted' | 'timeout'): void {
    if (this.left) return
    this.left = why
    if (this.controller) this.controller.abort(new Error(why))
    else this.end({ kind: why, atMs: this.sinceStart() })
  }

  private end(ending: Ending): void {
    clearTimeout(this.silence)
    clearTimeout(this.patience)
    this.outgoing.signal?.removeEventListener('abort', this.abort)
    this.answered.resolve()
    this.ended.resolve({
      id: this.outgoing.id,
      labels: this.outgoing.labels,
      startedAt: this.startedAt,
      request: this.outgoing.request,
      response: this.head ? { ...this.head, chunks: this.chunks } : null,
      events: this.events,
      ending,
    })
  }

  /** Milliseconds with microseconds behind the point. */
  private sinceStart(): number {
    return Math.round((performance.now() - this.start) * 1000) / 1000
  }
}

function pairs(raw: Dispatcher.DispatchController['rawHeaders']): Header[] {
  const flat = Array.isArray(raw) ? raw.map(String) : []
  const headers: Header[] = []
  for (let at = 0; at + 1 < flat.length; at += 2) {
    headers.push([(flat[at] ?? '').toLowerCase(), flat[at + 1] ?? ''])
  }
  return headers
}

function isEventStream(headers: readonly Header[]): boolean {
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  return type.trim().toLowerCase().startsWith('text/event-stream')
}

function rootMessage(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : []
  return first instanceof Error ? rootMessage(first) : error.message
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN'
}
