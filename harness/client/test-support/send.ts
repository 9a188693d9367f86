import type { Exchange } from '../../../contract/index.ts'
import type { Outgoing, Transport } from '../conversation.ts'
import { createNetworkTransport } from '../network/network.ts'
import { directNetwork, type NetworkOptions } from '../network/sockets.ts'

interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | null
}

/** Sends a request with a key by a plain fetch: an object as JSON, a form as it is. */
export async function call(
  { url, key }: { readonly url: string; readonly key: string },
  method: string,
  path: string,
  body?: object,
  { headers = {}, signal = null }: CallOptions = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const isForm = body instanceof FormData
  const type = body === undefined || isForm ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url + path, {
    ...{ method, signal, headers: { authorization: `Bearer ${key}`, ...type, ...headers } },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

export function outgoing(url: string, more: Partial<Outgoing> = {}): Outgoing {
  return {
    id: 'x1',
    labels: { scenario: 'a-scenario', ordinal: 1, attempt: 0, role: 'act' },
    request: { method: 'GET', url, headers: [['accept', '*/*']], body: null },
    timeoutMs: 10_000,
    ...more,
  }
}

/** One conversation over a new network transport. */
export async function sendRequest(
  url: string,
  more: Partial<Outgoing> = {},
  network: Partial<NetworkOptions> = {},
): Promise<Exchange> {
  return withTransport((transport) => transport.send(outgoing(url, more)).exchange, network)
}

export async function withTransport<T>(
  use: (transport: Transport) => Promise<T>,
  network: Partial<NetworkOptions> = {},
): Promise<T> {
  const transport = createNetworkTransport({ ...directNetwork, ...network })
  try {
    return await use(transport)
  } finally {
    await transport.close()
  }
}
