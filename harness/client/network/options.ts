import { getCACertificates, type SecureContextOptions } from 'node:tls'

/**
 * Network access to a target: HTTP version, TLS, proxy and addresses. Check, init, cleanup and load
 * share it; it survives a structured clone.
 */
export interface NetworkOptions {
  /**
   * `auto`: over TLS the server chooses by ALPN, with HTTP/2 offered first; without TLS HTTP/1.1.
   * `http2` without TLS is HTTP/2 with prior knowledge (RFC 9113, section 3.3).
   */
  readonly httpVersion: 'auto' | 'http1' | 'http2'
  /** PEM text of certificate authorities to trust in addition to Node's own; null for none. */
  readonly ca: string | null
  /** True: certificates of the target are not verified. */
  readonly insecure: boolean
  /** PEM texts of the client certificate and its key; null for none. */
  readonly clientCertificate: { readonly cert: string; readonly key: string } | null
  /** URL of the HTTP proxy, with its credentials; null for a direct connection. */
  readonly proxy: string | null
  /** Addresses to connect to instead of those from DNS. */
  readonly resolve: readonly Resolution[]
}

export interface Resolution {
  readonly host: string
  readonly port: number
  /** IPv4 or IPv6 address, without brackets. */
  readonly address: string
}

/** A direct connection that trusts Node's authorities. */
export const directNetwork: NetworkOptions = {
  httpVersion: 'auto',
  ca: null,
  insecure: false,
  clientCertificate: null,
  proxy: null,
  resolve: [],
}

/** The TLS options of every connection to the target, for `tls.connect`. */
export function tlsOptions(
  network: NetworkOptions,
): SecureContextOptions & { rejectUnauthorized?: boolean } {
  const { ca, insecure, clientCertificate } = network
  return {
    // `ca` replaces Node's own authorities, so these are included.
    ...(ca === null ? {} : { ca: [...getCACertificates('default'), ca] }),
    ...(clientCertificate ?? {}),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  }
}

/** The address that `resolve` names for a host and port; undefined if it names none. */
export function resolvedAddress(
  { resolve }: NetworkOptions,
  host: string,
  port: number,
): string | undefined {
  const name = host.toLowerCase()
  return resolve.find((entry) => entry.host.toLowerCase() === name && entry.port === port)?.address
}
