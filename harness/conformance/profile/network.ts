import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { directNetwork, type NetworkOptions, type Resolution } from '../../client/index.ts'
import { asConfigurationError, ConfigurationError } from '../errors.ts'
import { readInputFile } from '../input-file.ts'
import type { TargetProfile } from './schema.ts'

/**
 * The network of a profile, with its files read.
 * @throws ConfigurationError if a file cannot be read or contains no PEM, a certificate has no key or a key no
 * certificate, or a proxy or an address is invalid.
 */
export function networkOf({ network = {} }: Pick<TargetProfile, 'network'>): NetworkOptions {
  const { httpVersion, ca, insecure = false, cert, certKey, proxy, resolve = [] } = network
  return {
    ...directNetwork,
    httpVersion: httpVersion === undefined ? 'auto' : httpVersion === 1 ? 'http1' : 'http2',
    ca: ca === undefined ? null : readPem(ca, '--ca (network.ca)'),
    insecure,
    clientCertificate: clientCertificateOf(cert, certKey),
    proxy: proxy === undefined ? null : proxyUrl(proxy, 'network.proxy'),
    resolve: resolve.map(parseResolution),
  }
}

/**
 * Reads `HOST:PORT:ADDRESS`, as curl's --resolve; an IPv6 address may be in brackets.
 * @throws ConfigurationError if it is invalid.
 */
export function parseResolution(text: string): Resolution {
  const [, host = '', digits = '', bare = ''] =
    /^(\[[^\]]+\]|[^:\s]+):(\d{1,5}):\[?([^[\]\s]+)\]?$/.exec(text) ?? []
  const port = Number(digits)
  if (host !== '' && port >= 1 && port <= 65_535 && isIP(bare) !== 0) {
    return { host, port, address: bare }
  }
  throw new ConfigurationError([
    `--resolve (network.resolve): ${text} is not HOST:PORT:ADDRESS, such as chat.example.org:443:10.0.0.7`,
  ])
}

/**
 * The URL of an HTTP proxy; without a scheme it is http://, as for curl.
 * @throws ConfigurationError that does not repeat the value, which may contain a password.
 */
export function proxyUrl(text: string, from: string): string {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(whole) ? new URL(whole) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href
  const found = url === undefined ? 'it is not a URL' : `it names a ${url.protocol}// proxy`
  throw new ConfigurationError([
    `${from}: ${found}: name an HTTP proxy, such as http://proxy.example.org:3128`,
  ])
}

function clientCertificateOf(cert?: string, key?: string): NetworkOptions['clientCertificate'] {
  if (cert === undefined && key === undefined) return null
  if (cert === undefined) throw new ConfigurationError(['--cert-key needs --cert'])
  if (key === undefined) throw new ConfigurationError(['--cert needs --cert-key'])
  const pair = {
    cert: readPem(cert, '--cert (network.cert)'),
    key: readPem(key, '--cert-key (network.certKey)'),
  }
  const problem = `--cert, --cert-key: ${cert} and ${key} are not a certificate and its key in PEM, or the key has a passphrase`
  const open = () => createSecureContext(pair)
  asConfigurationError(Error, open, () => problem)
  return pair
}

function readPem(file: string, from: string): string {
  const text = asConfigurationError(
    Error,
    () => readInputFile(file),
    `${from}: the file cannot be read`,
  )
  if (/^-----BEGIN [A-Z0-9 ]+-----/m.test(text)) return text
  throw new ConfigurationError([
    `${from}: ${file} is not in PEM format, which begins with -----BEGIN …-----`,
  ])
}

/** Network access to the target for a report, without credentials and files. */
export function networkSummary({
  network,
}: Pick<TargetProfile, 'network'>): Pick<ConformanceReport['target'], 'network'> {
  if (network === undefined) return {}
  const { insecure = false, httpVersion = null, proxy, resolve = [] } = network
  const isPlain = !insecure && httpVersion === null && proxy === undefined && resolve.length === 0
  const host = proxy === undefined ? null : (URL.parse(proxy)?.host ?? 'a proxy')
  return isPlain ? {} : { network: { insecure, httpVersion, proxy: host, resolve } }
}
