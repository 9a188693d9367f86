import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import {
  directNetwork,
  type NetworkOptions,
  proxyAuthorization,
  resolvedAddress,
  tlsOptions,
} from '../../client/index.ts'

/** Route of a worker's connections to the target; built once, because certificates are read for it. */
export interface Route {
  readonly secure: boolean
  /** Host to connect to; behind a proxy, the host of the CONNECT request. */
  readonly host: string
  readonly port: number
  /** Name in the TLS handshake; undefined for an address, which has none (RFC 6066, section 3). */
  readonly servername: string | undefined
  readonly tls: { readonly secureContext?: SecureContext; readonly rejectUnauthorized?: boolean }
  readonly httpVersion: NetworkOptions['httpVersion']
  /** Base address of the target, scheme and authority alone. */
  readonly origin: string
  readonly proxy: URL | null
  /** Settings of requests that a proxy forwards; null for a direct connection or a tunnel. */
  readonly forward: Forward | null
}

/** A request in absolute form (RFC 9112, section 3.2.2). */
export interface Forward {
  readonly authorization: string | undefined
}

/** @throws the error of Node where a certificate or a key is none */
export function routeOf(baseUrl: string, network: NetworkOptions = directNetwork): Route {
  const { protocol, hostname, port: digits, origin } = new URL(baseUrl)
  const secure = protocol === 'https:'
  const name = hostname.replace(/^\[|\]$/g, '')
  const port = digits === '' ? (secure ? 443 : 80) : Number(digits)
  const proxy = network.proxy === null ? null : new URL(network.proxy)
  return {
    secure,
    host: resolvedAddress(network, hostname, port) ?? name,
    port,
    servername: isIP(name) === 0 ? name : undefined,
    tls: secure ? tlsOf(network) : {},
    httpVersion: network.httpVersion,
    origin,
    proxy,
    forward:
      proxy?.protocol !== 'http:' || secure ? null : { authorization: proxyAuthorization(proxy) },
  }
}

function tlsOf(network: NetworkOptions): Route['tls'] {
  const { rejectUnauthorized, ...context } = tlsOptions(network)
  return {
    ...(Object.keys(context).length === 0 ? {} : { secureContext: createSecureContext(context) }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  }
}
