import type { Socket } from 'node:net'
import { Agent, type buildConnector, type Dispatcher } from 'undici'
import type { Header } from '../../../contract/index.ts'
import type { Conversation } from '../conversation.ts'
import type { NetworkOptions } from './options.ts'
import { createSocketOpener, ProxyError, proxyAuthorization } from './sockets.ts'

/**
 * Idle connections are given up before common servers close them (Node's default is 5 s), so that
 * a request is not sent into a connection that is being closed.
 */
export const keepAliveMs = 1_000

export interface Http1 {
  send(conversation: Conversation): void
  /** Takes over a connection that was made to find out which protocol the server speaks. */
  adopt(origin: string, socket: Socket): void
  close(): Promise<void>
}

/** Speaks HTTP/1.1 with undici; one arrival time for each read of the socket. */
export function createHttp1(network: NetworkOptions): Http1 {
  const spare = new Map<string, Socket>()
  let agent = createAgent(network, spare)
  const retired: Agent[] = []
  const proxy = network.proxy === null ? undefined : new URL(network.proxy)
  const proxyAgent =
    proxy &&
    createAgent({ ...network, proxy: null, resolve: [] }, new Map(), (error) =>
      ProxyError.unreachable(proxy, error),
    )

  return {
    send(conversation) {
      const url = new URL(conversation.outgoing.request.url)
      if (proxy && proxyAgent && url.protocol === 'http:') {
        viaProxy(proxyAgent, proxy, url, conversation)
        return
      }
      const path = `${url.pathname}${url.search}`
      conversation.ended.promise.then(({ response }) => {
        // Misdirected: the next requests take another connection (RFC 9110, 15.5.20).
        if (response?.status !== 421) return
        retired.push(agent)
        agent = createAgent(network, spare)
      })
      dispatch(agent, { origin: url.origin, path }, [], new Receiver(conversation))
    },
    adopt(origin, socket) {
      socket.on('error', () => {})
      spare.get(origin)?.destroy()
      spare.set(origin, socket)
    },
    async close() {
      for (const socket of spare.values()) socket.destroy()
      await Promise.all([...retired, agent, proxyAgent].map((one) => one?.destroy()))
    },
  }
}

function createAgent(
  network: NetworkOptions,
  spare: Map<string, Socket>,
  describeError: (error: Error) => Error = (error) => error,
): Agent {
  const opener = createSocketOpener(network)
  const connect: buildConnector.connector = ({ protocol, host = '' }, done) => {
    const url = new URL(`${protocol}//${host}`)
    const waiting = spare.get(url.origin)
    spare.delete(url.origin)
    if (waiting !== undefined && !waiting.destroyed) {
      // undici does not expect an answer within its call.
      queueMicrotask(() => done(null, waiting))
      return
    }
    opener.open(url, 'http/1.1').then(
      (socket) => done(null, socket),
      (error) => done(describeError(error), null),
    )
  }
  return new Agent({
    allowH2: false,
    connect,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    pipelining: 1,
    maxHeaderSize: 64 * 1024,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** Sends through a proxy: without TLS it is asked for the absolute address (RFC 9112, section 3.2.2). */
function viaProxy(agent: Agent, proxy: URL, url: URL, conversation: Conversation): void {
  const authorization = proxyAuthorization(proxy)
  const more: Header[] = [['host', url.host]]
  if (authorization !== undefined) more.push(['proxy-authorization', authorization])
  const place = { origin: proxy.origin, path: `${url.origin}${url.pathname}${url.search}` }
  dispatch(agent, place, more, new ProxyReceiver(conversation, proxy))
}

function dispatch(
  agent: Agent,
  place: { readonly origin: string; readonly path: string },
  more: readonly Header[],
  receiver: Receiver,
): void {
  const { method, headers, body } = receiver.conversation.outgoing.request
  const given = new Set(headers.map(([name]) => name.toLowerCase()))
  const added = more.filter(([name]) => !given.has(name))
  agent.dispatch({ ...place, method, headers: [...headers, ...added].flat(), body }, receiver)
}

/** Interim responses (RFC 9110, section 15.2) before the final one; a client expects one or two. */
const maxInterim = 1_000
const tooManyInterim = `more than ${maxInterim} interim responses (1xx) and no final one`

/** undici calls it. */
class Receiver implements Dispatcher.DispatchHandler {
  readonly conversation: Conversation
  #interim = 0

  constructor(conversation: Conversation) {
    this.conversation = conversation
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.conversation.sending(() => controller.abort(new Error('left')))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) {
      this.#interim += 1
      if (this.#interim > maxInterim) controller.abort(new Error(tooManyInterim))
      return
    }
    this.conversation.answer(status, pairs(controller.rawHeaders), 'http/1.1')
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    this.conversation.data(bytes)
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    this.conversation.end(pairs(controller.rawTrailers))
  }

  onResponseError(_: unknown, error: Error): void {
    this.conversation.fail(error)
  }
}

/** A refusal of the proxy is none of the target. */
class ProxyReceiver extends Receiver {
  readonly #proxy: URL

  constructor(conversation: Conversation, proxy: URL) {
    super(conversation)
    this.#proxy = proxy
  }

  override onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status !== 407) {
      super.onResponseStart(controller, status)
      return
    }
    this.conversation.fail(ProxyError.credentials(this.#proxy))
    controller.abort(new Error('407'))
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
