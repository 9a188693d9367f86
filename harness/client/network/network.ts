import { TLSSocket } from 'node:tls'
import { type BodyLimits, defaultBodyLimits } from '../body/limits.ts'
import type { Outgoing, Pending, Transport } from '../conversation.ts'
import { Conversation } from '../conversation.ts'
import { createHttp1 } from './http1.ts'
import { createSocketOpener, directNetwork, type NetworkOptions } from './sockets.ts'

type Http2 = ReturnType<typeof import('./http2.ts').createHttp2>

/**
 * Speaks HTTP/1.1 or HTTP/2 over the network. Nothing is sent twice, except a request that an HTTP/2 server
 * reports as not processed (REFUSED_STREAM; RFC 9113, section 8.7).
 */
export function createNetworkTransport(
  network: NetworkOptions = directNetwork,
  limits: BodyLimits = defaultBodyLimits,
): Transport {
  const open = createSocketOpener(network)
  const http1 = createHttp1(network)
  const openHttp2 = (url: URL) => open(url, network.httpVersion === 'http2' ? 'h2' : 'both')
  let opened: Promise<Http2> | undefined
  const http2 = () => {
    // Loading Node's HTTP/2 takes 20 ms.
    opened ??= import('./http2.ts').then(({ createHttp2 }) => createHttp2(openHttp2))
    return opened
  }
  /** Version that each server chose in its first handshake, by origin. */
  const choices = new Map<string, Promise<'http1' | 'http2'>>()

  function choiceFor(url: URL): Promise<'http1' | 'http2'> {
    const choice = choices.get(url.origin) ?? choose(url)
    if (!choices.has(url.origin)) choice.catch(() => choices.delete(url.origin))
    choices.set(url.origin, choice)
    return choice
  }

  async function choose(url: URL): Promise<'http1' | 'http2'> {
    const socket = await open(url, 'both')
    const isHttp2 = socket instanceof TLSSocket && socket.alpnProtocol === 'h2'
    if (isHttp2) (await http2()).adopt(url.origin, socket)
    else http1.adopt(url.origin, socket)
    return isHttp2 ? 'http2' : 'http1'
  }

  async function carry(conversation: Conversation): Promise<void> {
    const url = new URL(conversation.outgoing.request.url)
    const { httpVersion } = network
    const version = httpVersion === 'auto' ? await choiceFor(url) : httpVersion
    if (conversation.isOver) return
    if (version === 'http1') http1.send(conversation)
    else await (await http2()).send(conversation)
  }

  function send(outgoing: Outgoing): Pending {
    const conversation = new Conversation(outgoing, limits)
    const plain = outgoing.request.url.startsWith('http:')
    const isSettled = network.httpVersion === 'http1' || outgoing.protocol === 'http/1.1'
    if (isSettled || (plain && network.httpVersion === 'auto')) {
      http1.send(conversation)
    } else {
      carry(conversation).catch((error) => conversation.fail(error))
    }
    return { answered: conversation.answered.promise, exchange: conversation.ended.promise }
  }

  return {
    send,
    async close() {
      http1.close()
      ;(await opened)?.close()
    },
  }
}
