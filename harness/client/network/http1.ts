import type { Agent, ClientRequest, ClientRequestArgs, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Header, header } from '../../../contract/index.ts'
import type { Conversation, Outgoing } from '../conversation.ts'
import { ProxyError, proxyAuthorization } from './proxy.ts'
import type { NetworkOptions } from './sockets.ts'
import { createSocketOpener } from './sockets.ts'

// An import would load all that the module loads lazily, such as Node's own copy of undici: 40 ms.
const http = process.getBuiltinModule('node:http')

/**
 * Idle connections are given up before common servers close them (Node's default is 5 s), so that
 * a request is not sent into a connection that is being closed.
 */
export const keepAliveMs = 1_000

/**
 * Speaks HTTP/1.1 with node:http, which writes the header lines as given; undici adds its own. One arrival
 * time for each read of the socket.
 */
export function createHttp1(network: NetworkOptions) {
  const direct = createPool(network)
  const proxy = network.proxy === null ? undefined : new URL(network.proxy)
  const toProxy = { ...network, proxy: null, resolve: [] }
  const proxied = proxy && createPool(toProxy, (error) => ProxyError.unreachable(proxy, error))

  return {
    send(conversation: Conversation): void {
      const { outgoing } = conversation
      const url = new URL(outgoing.request.url)
      // Without TLS, the request to a proxy has the absolute address (RFC 9112, section 3.2.2).
      const via = url.protocol === 'http:' ? proxy : undefined
      const pool = (via && proxied) ?? direct
      const path = `${via ? url.origin : ''}${url.pathname}${url.search}`
      const authorization = via && proxyAuthorization(via)
      const own: Header[] = authorization ? [['proxy-authorization', authorization]] : []
      const place = { agent: pool.agentFor(via ?? url, outgoing), path, onStale: pool.keepNone }
      converse(conversation, place, [...headOf(outgoing), ...own], ({ statusCode }, request) => {
        // Misdirected: the next requests take another connection (RFC 9110, 15.5.20).
        if (!via && statusCode === 421) direct.renew()
        // A refusal by the proxy is not one by the target.
        if (!via || statusCode !== 407) return
        conversation.fail(ProxyError.credentials(via))
        request.destroy()
      })
    },
    /** Takes over a connection that was made to find out which protocol the server speaks. */
    adopt: direct.adopt,
    close(): void {
      direct.close()
      proxied?.close()
    },
  }
}

/** Connections, by origin and by the client that they belong to. */
function createPool(network: NetworkOptions, describeError = (error: Error) => error) {
  const open = createSocketOpener(network)
  const spare = new Map<string, Socket>()
  let agents = new Map<string, Agent>()
  let keepsIdle = true
  const all = new Set<Agent>()

  function createAgent(origin: URL, keepAlive: boolean): Agent {
    const agent = new http.Agent({ keepAlive, timeout: keepAliveMs })
    const connect = async () => {
      const waiting = spare.get(origin.origin)
      spare.delete(origin.origin)
      return waiting === undefined || waiting.destroyed ? open(origin, 'http/1.1') : waiting
    }
    agent.createConnection = (
      _: ClientRequestArgs,
      done?: (error: Error | null, socket: Duplex) => void,
    ) => {
      connect().then(
        (socket) => done?.(null, socket),
        (error) => done?.(describeError(error), undefined as never),
      )
      return undefined
    }
    all.add(agent)
    return agent
  }

  return {
    agentFor(origin: URL, { client }: Outgoing): Agent {
      const key = JSON.stringify([origin.origin, client])
      const agent =
        agents.get(key) ?? createAgent(origin, keepsIdle && (client?.keepsConnections ?? true))
      agents.set(key, agent)
      return agent
    },
    /** Open connections serve no further requests. */
    renew() {
      agents = new Map()
    },
    /** Gives each later request a connection of its own, as the server closes idle ones sooner than expected. */
    keepNone() {
      keepsIdle = false
      agents = new Map()
    },
    adopt(origin: string, socket: Socket) {
      socket.on('error', () => {})
      spare.get(origin)?.destroy()
      spare.set(origin, socket)
    },
    close() {
      for (const socket of spare.values()) socket.destroy()
      for (const agent of all) agent.destroy()
    },
  }
}

/** The lines of the head: those of an imitated client are complete. */
function headOf({ client, request }: Outgoing): readonly Header[] {
  const { url, method, headers, body } = request
  if (client !== undefined) return headers
  const isEmpty = body === null && ['POST', 'PUT', 'PATCH'].includes(method)
  const host = header(headers, 'host') === undefined ? [['host', new URL(url).host] as const] : []
  return [
    ...host,
    ['connection', 'keep-alive'],
    ...headers,
    ...(body === null && !isEmpty ? [] : [['content-length', String(body?.length ?? 0)] as const]),
  ]
}

/** Interim responses (RFC 9110, section 15.2) before the final one; a client expects one or two. */
const maxInterim = 1_000

interface Place {
  readonly agent: Agent
  readonly path: string
  /** Called if a connection that was idle before is closed instead of carrying a response. */
  readonly onStale: () => void
}

/** `inspect` may end the conversation with the head of the response. */
function converse(
  conversation: Conversation,
  { onStale, ...place }: Place,
  head: readonly Header[],
  inspect: (answer: IncomingMessage, request: ClientRequest) => void,
): void {
  const { method, body } = conversation.outgoing.request
  const request = http.request({ ...place, method, setHost: false, maxHeaderSize: 64 * 1024 })
  // Node adds these lines unless they are removed.
  for (const name of ['connection', 'content-length', 'transfer-encoding'])
    request.removeHeader(name)
  for (const [name, value] of head) request.appendHeader(name, value)
  request.maxHeadersCount = 0
  const fail = (error: Error) => {
    if (request.reusedSocket && !conversation.hasHead && !conversation.isOver) onStale()
    // The other side closed the connection: Node's messages before and inside a response.
    const isClosed = ['socket hang up', 'aborted'].includes(error.message)
    const closed = new Error('other side closed', { cause: error })
    conversation.fail(isClosed ? Object.assign(closed, { code: 'CONNECTION_CLOSED' }) : error)
  }
  let interim = 0
  request.on('socket', () => conversation.sending(() => request.destroy()))
  request.on('information', () => {
    interim += 1
    if (interim > maxInterim) {
      request.destroy(new Error(`more than ${maxInterim} interim responses (1xx) and no final one`))
    }
  })
  request.on('upgrade', () => request.destroy(new Error('the target switched to another protocol')))
  request.on('error', fail)
  request.on('response', (answer) => {
    inspect(answer, request)
    answer.on('error', fail)
    if (conversation.isOver) return
    conversation.answer(answer.statusCode ?? 0, pairs(answer.rawHeaders), 'http/1.1')
    answer.on('data', (bytes: Buffer) => conversation.data(bytes))
    answer.on('end', () => conversation.end())
  })
  if (body === null) request.end()
  else request.end(body)
}

/** Names, in lower case, and values of a flat list. */
export function pairs(raw: readonly string[]): Header[] {
  return raw.flatMap((name, at): Header[] =>
    at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? '']] : [],
  )
}
