import { isIP } from 'node:net'

type Environment = Readonly<Record<string, string | undefined>>

export interface ProxySetting {
  /** Environment variable that names the proxy. */
  readonly variable: string
  readonly value: string
}

/**
 * Proxy for a URL from the environment: HTTPS_PROXY or HTTP_PROXY by its scheme, unless NO_PROXY lists
 * the host. Lower-case names take precedence, as in curl. Loopback addresses bypass the proxy, as in Go.
 */
export function proxyFromEnvironment(url: string, env: Environment): ProxySetting | undefined {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (isLoopback(host)) return undefined
  const found = firstOf(env, protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  if (found === undefined) return undefined
  const effectivePort = port || (protocol === 'https:' ? '443' : '80')
  const excepted = (firstOf(env, 'NO_PROXY')?.value ?? '').split(/[\s,]+/).filter(Boolean)
  return excepted.some((entry) => matches(entry, host, effectivePort)) ? undefined : found
}

function firstOf(env: Environment, name: string): ProxySetting | undefined {
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
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || isLoopback4(host)
}

function isLoopback4(host: string): boolean {
  return isIP(host) === 4 && host.startsWith('127.')
}
