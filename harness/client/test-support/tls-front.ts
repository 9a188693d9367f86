import { readFileSync } from 'node:fs'
import {
  createServer as createPlainHttp2Server,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type SecureServerOptions,
} from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { forward, listenOnLoopback } from './listen-on-loopback.ts'

export type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => unknown

export type Front = Awaited<ReturnType<typeof listening>>

export interface FrontOptions extends SecureServerOptions {
  readonly alpn?: readonly ('h2' | 'http/1.1')[]
}

/** A server on TLS that offers HTTP/2 and HTTP/1.1. */
export async function startTlsServer(
  handle: Handler,
  { alpn = ['h2', 'http/1.1'], ...options }: FrontOptions = {},
): Promise<Front> {
  const protocols: string[] = []
  const secure = { ...certificate('server'), ...options }
  // Node always offers HTTP/2 in addition to HTTP/1.1.
  const server: Server = alpn.includes('h2')
    ? createSecureServer({ ...secure, allowHTTP1: alpn.includes('http/1.1') }, handle)
    : createHttpsServer(secure, handle as never)
  server.on('secureConnection', (socket) => protocols.push(socket.alpnProtocol || 'none'))
  server.on('sessionError', () => {})
  server.on('tlsClientError', () => {})
  return listening(server, 'https', protocols)
}

/** A server that speaks HTTP/2 without TLS. */
export async function startPlainHttp2Server(handle: Handler): Promise<Front> {
  const protocols: string[] = []
  const server = createPlainHttp2Server(handle)
  server.on('session', () => protocols.push('h2'))
  server.on('sessionError', () => {})
  return listening(server, 'http', protocols)
}

/** Hands every request to a plain server behind it, and streams the response back. */
export function proxyTo(target: string): Handler {
  return (incoming, outgoing) => {
    outgoing.stream?.on('error', () => {})
    const host = incoming.authority ?? incoming.headers.host
    forward(target, incoming as never, outgoing as never, { headers: { host } })
  }
}

/** @param protocols protocol of each connection, in their order */
async function listening(server: Server, scheme: string, protocols: readonly string[]) {
  const { port, close } = await listenOnLoopback(server)
  return { url: `${scheme}://127.0.0.1:${port}`, port, protocols, close }
}

/** Path of a file of the folder `certificates`; its README describes them. */
export function certificateFile(name: string): string {
  return fileURLToPath(new URL(`certificates/${name}`, import.meta.url))
}

export function certificate(name: 'server' | 'self-signed' | 'expired' | 'other-host' | 'client') {
  return { cert: pem(`${name}.pem`), key: pem(`${name}-key.pem`) }
}

/** PEM text of the authority that signed all but the self-signed one. */
export function authority(): string {
  return pem('ca.pem')
}

function pem(name: string): string {
  return readFileSync(certificateFile(name), 'utf8')
}
