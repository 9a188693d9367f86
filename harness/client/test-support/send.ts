import type { Exchange } from '../../../contract/index.ts'
import type { Outgoing, Transport } from '../conversation.ts'
import { createNetworkTransport } from '../network/network.ts'
import { directNetwork, type NetworkOptions } from '../network/sockets.ts'

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
