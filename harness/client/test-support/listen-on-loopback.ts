import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http'
import net, { type AddressInfo, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** Listens on a port of 127.0.0.1, a free one by default. */
export async function listenOnLoopback(server: Server, at = 0) {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    /** Stops listening and destroys all open connections. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

export interface TestHost {
  /** URL without a path. */
  readonly url: string
  close(): Promise<void>
}

/** Starts an HTTP server on loopback; closing it destroys all connections. */
export async function listen(handler: RequestListener): Promise<TestHost> {
  const server = createServer(handler)
  // Longer than any test: a connection that the client keeps must not be closed under it.
  server.keepAliveTimeout = 60_000
  const { port, close } = await listenOnLoopback(server)
  return { url: `http://127.0.0.1:${port}`, close }
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}

interface Forwarding {
  /** Path to send instead of the original one. */
  readonly path?: string
  /** Added to the headers of the request. */
  readonly headers?: OutgoingHttpHeaders
  /** Body of the request if it was read already. */
  readonly body?: Buffer
}

/** Headers that HTTP/2 refuses. */
const ofConnection = /^(?:connection|keep-alive|transfer-encoding)$/i

/** Hands a request to the server at a URL, and streams its response back. */
export function forward(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { path = incoming.url ?? '/', headers = {}, body }: Forwarding = {},
): void {
  // HTTP/2 has method and path among its headers.
  const kept = Object.entries(incoming.headers).filter(([name]) => !name.startsWith(':'))
  const options = {
    method: incoming.method,
    headers: { ...Object.fromEntries(kept), ...headers },
  }
  const onward = request(`${target}${path}`, options, (answer) => {
    const raw = answer.rawHeaders
    const ofAnswer = raw.filter((_, at) => !ofConnection.test(raw[at - (at % 2)] ?? ''))
    outgoing.writeHead(answer.statusCode ?? 502, ofAnswer)
    answer.on('error', () => outgoing.destroy())
    answer.pipe(outgoing)
  })
  onward.on('error', () => outgoing.destroy())
  outgoing.on('close', () => onward.destroy())
  if (body === undefined) incoming.pipe(onward)
  else onward.end(body)
}

/** Sends a request with its body, on a connection of its own. */
export function ask(
  url: string,
  { method, headers }: Pick<RequestOptions, 'method' | 'headers'>,
  body: Buffer,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The server, which is closed when the test has finished. */
export function ended<T extends { close(): Promise<void> }>(server: T): T {
  onTestFinished(() => server.close())
  return server
}

/** A host with this handler, until the test has finished. */
export async function listening(handler: RequestListener): Promise<TestHost> {
  return ended(await listen(handler))
}

/** The free port of 127.0.0.1 at which a server listens until the test has finished. */
export async function portOf(server: Server): Promise<number> {
  return ended(await listenOnLoopback(server)).port
}

/** The same as a URL without a path. */
export async function urlOf(server: Server): Promise<string> {
  return `http://127.0.0.1:${await portOf(server)}`
}

export type RawServer = Awaited<ReturnType<typeof startRawServer>>

/** A server without HTTP: it runs the script when the header of a request is complete. */
export async function startRawServer(script: (socket: Socket, turn: number) => unknown) {
  /** Heads of the requests, as they came. */
  const heads: string[] = []
  const server = net.createServer((socket) => {
    socket.setNoDelay(true)
    let waiting = ''
    socket.on('data', (bytes) => {
      waiting += bytes.toString('latin1')
      if (!waiting.includes('\r\n\r\n')) return
      heads.push(waiting)
      waiting = ''
      script(socket, heads.length - 1)
    })
  })
  const { port, close } = await listenOnLoopback(server)
  return { url: `http://127.0.0.1:${port}`, heads, close }
}

/** URL and heads of such a server, which is closed when the test has finished. */
export async function rawServer(script: (socket: Socket, turn: number) => unknown) {
  return ended(await startRawServer(script))
}

/** Writes pieces so that they arrive as separate segments. */
export async function writePieces(
  socket: Socket,
  pieces: readonly (string | Uint8Array)[],
): Promise<void> {
  for (const piece of pieces) {
    socket.write(piece)
    await nextTurn()
    await nextTurn()
  }
}

/** Sends as fast as the peer takes it, as long as the peer is there. */
export function pour(socket: Socket, begin: string, again: string): void {
  const pump = () => {
    while (!socket.destroyed && socket.write(again));
  }
  socket.on('drain', pump)
  socket.write(begin)
  pump()
}

/** Another address of a server; it can refuse connections for some time. */
export async function relayTo(url: string) {
  const server = net.createServer((socket) => {
    const onward = net.connect(Number(new URL(url).port), '127.0.0.1')
    socket.pipe(onward).pipe(socket)
    for (const one of [socket, onward]) {
      one.on('error', () => {})
      one.on('close', () => [socket, onward].forEach((each) => void each.destroy()))
    }
  })
  let listening = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${listening.port}`,
    close: () => listening.close(),
    async restart(downMs: number) {
      await listening.close()
      await sleep(downMs)
      listening = await listenOnLoopback(server, listening.port)
    },
  }
}

/** An HTTP proxy that connects to the requested port of this machine, for any host name. */
export async function startForwardProxy(
  options: { readonly credential?: string; readonly refuse?: number } = {},
) {
  /** `CONNECT chat.test:443` and `GET http://chat.test/`, in their order. */
  const requests: string[] = []
  /** Value of Proxy-Authorization of each of them. */
  const credentials: (string | undefined)[] = []
  const refusalOf = (credential: string | undefined) => {
    credentials.push(credential)
    if (options.credential !== undefined && credential !== options.credential) return 407
    return options.refuse
  }
  const server = createServer((incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.url}`)
    const refusal = refusalOf(incoming.headers['proxy-authorization'])
    if (refusal !== undefined) {
      outgoing.writeHead(refusal).end()
      return
    }
    const { port, pathname, search } = new URL(incoming.url ?? '')
    forward(`http://127.0.0.1:${port}`, incoming, outgoing, { path: `${pathname}${search}` })
  })
  server.on('connect', (incoming, socket: Socket) => {
    requests.push(`CONNECT ${incoming.url}`)
    const refusal = refusalOf(incoming.headers['proxy-authorization'])
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    const onward = net.connect(Number(incoming.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.pipe(socket)
      socket.pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    onward.on('close', () => socket.destroy())
    socket.on('close', () => onward.destroy())
  })
  const { port, close } = await listenOnLoopback(server)
  return { url: `http://127.0.0.1:${port}`, port, requests, credentials, close }
}
