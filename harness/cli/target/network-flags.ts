import { isIP } from 'node:net'
import { dirname, resolve as resolvePath } from 'node:path'
import { ConfigurationError } from '../../conformance/errors.ts'
import {
  endpointsOf,
  networkOf,
  proxyUrl,
  type TargetProfile,
} from '../../conformance/profile/index.ts'
import { type FlagsOf, flagTable, grouped } from '../flags.ts'
import type { Io } from '../terminal/io.ts'

export function networkFlags() {
  return grouped(
    'Network:',
    flagTable(`
      --http1  use HTTP/1.1 only
      --http2  use HTTP/2 only; without TLS, with prior knowledge
      --ca <file>  additional trusted certificate authorities, PEM
      --insecure  do not verify the TLS certificate of the target
      --cert <file>  client certificate, PEM
      --cert-key <file>  private key of the client certificate, PEM
      --resolve <host:port:address>:list  connect to this IP address instead of resolving the host; repeatable`),
  )
}

export type NetworkFlags = FlagsOf<typeof networkFlags>

/**
 * Completes the network settings of a profile. Precedence: flag, profile, HTTPS_PROXY, HTTP_PROXY and
 * NO_PROXY. Paths in a profile are relative to it, those of flags to the working directory.
 * @throws ConfigurationError if flags contradict each other, or a file is invalid
 */
export function withNetwork(
  profile: TargetProfile,
  flags: NetworkFlags & { readonly target?: string },
  io: Pick<Io, 'env' | 'err'>,
): TargetProfile {
  const folder = flags.target === undefined ? '.' : dirname(flags.target)
  const network = {
    ...filesIn(folder, profile.network ?? {}),
    ...filesIn('.', networkOfFlags(flags)),
  }
  const [ambient, ...others] = endpointsOf(profile).map(({ baseUrl }) =>
    proxyFromEnvironment(baseUrl, io.env),
  )
  if (network.proxy === undefined && others.some((other) => other?.value !== ambient?.value)) {
    throw new ConfigurationError([
      'some endpoints go through the proxy of the environment and others do not: set network.proxy in the profile, or NO_PROXY for all of them',
    ])
  }
  if (network.proxy === undefined && ambient !== undefined) {
    network.proxy = proxyUrl(ambient.value, ambient.variable)
  }
  if (Object.keys(network).length === 0) return profile
  const whole = { ...profile, network }
  networkOf(whole)
  if (network.insecure) {
    io.err(
      'chatgen: --insecure: the TLS certificate of the target is not verified; a man in the middle can read the API key and alter responses',
    )
  }
  return whole
}

type ProfileNetwork = { -readonly [K in keyof Network]: Network[K] }
type Network = NonNullable<TargetProfile['network']>

function networkOfFlags(flags: NetworkFlags): ProfileNetwork {
  const { ca, insecure, cert, certKey, http1, http2, resolve } = flags
  if (http1 && http2) throw new ConfigurationError(['--http1 and --http2 exclude each other'])
  return {
    ...(http1 ? { httpVersion: 1 as const } : {}),
    ...(http2 ? { httpVersion: 2 as const } : {}),
    ...(ca && { ca }),
    ...(insecure !== undefined && { insecure }),
    ...(cert && { cert }),
    ...(certKey && { certKey }),
    ...(resolve && { resolve: [...resolve] }),
  }
}

function filesIn(folder: string, network: Network): ProfileNetwork {
  const found: ProfileNetwork = { ...network }
  for (const name of ['ca', 'cert', 'certKey'] as const) {
    const file = network[name]
    if (file !== undefined) found[name] = resolvePath(folder, file)
  }
  return found
}

/**
 * Proxy for a URL from the environment, with the variable that names it: HTTPS_PROXY or HTTP_PROXY by its scheme, unless NO_PROXY lists
 * the host. Lower-case names take precedence, as in curl. Loopback addresses bypass the proxy, as in Go.
 */
export function proxyFromEnvironment(url: string, env: Io['env']) {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (isLoopback(host)) return undefined
  const found = firstOf(env, protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  if (found === undefined) return undefined
  const effectivePort = port || (protocol === 'https:' ? '443' : '80')
  const excepted = (firstOf(env, 'NO_PROXY')?.value ?? '').split(/[\s,]+/).filter(Boolean)
  return excepted.some((entry) => matches(entry, host, effectivePort)) ? undefined : found
}

function firstOf(env: Io['env'], name: string) {
  for (const variable of [name.toLowerCase(), name]) {
    const value = env[variable]?.trim()
    if (value) return { variable, value }
  }
  return undefined
}

/** Matches `*`, a host, or a domain with or without its leading dot, each with or without a port. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  const [, name = '', entryPort] = /^(\[[^\]]+\]|[^:]*(?::[^:]*:.*)?)(?::(\d+))?$/.exec(entry) ?? []
  if (entryPort !== undefined && entryPort !== port) return false
  const domain = name
    .replace(/^\[|\]$/g, '')
    .replace(/^\*?\./, '')
    .toLowerCase()
  if (domain === '') return false
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`))
}

function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.')
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1'
}
