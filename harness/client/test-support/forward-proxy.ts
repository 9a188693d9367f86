import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { forward, listenOnLoopback } from './listen-on-loopback.ts'

export interface ForwardProxy {
  readonly url: string
  readonly port: number
  /** `CONNECT chat.test:443` and `GET http://chat.test/`, in their order. */
  readonly requests: readonly string[]
  /** Value of Proxy-Authorization of each of them. */
  readonly credentials: readonly (string | undefined)[]
  close(): Promise<void>
}

/** An HTTP proxy that connects to the requested port of this machine, for any host name. */
export async function startForwardProxy(
  options: { readonly credential?: string; readonly refuse?: number } = {},
): Promise<ForwardProxy> {
  const requests: string[] = []
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
    const onward = connect(Number(incoming.url?.split(':').at(-1)), '127.0.0.1', () => {
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
