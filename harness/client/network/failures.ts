/**
 * Errors of the system and of TLS as a sentence with the cause and the remedy. OpenSSL names its
 * own functions and lines, which do not help the user.
 */

/** `code`: that of the system, of OpenSSL or of ours, for example ECONNREFUSED. */
export function describeFailure(error: Error, url: string) {
  const root = rootOf(error)
  const code = codeOf(root) ?? 'UNKNOWN'
  const target = new URL(url)
  const [, sentence] =
    Object.entries(sentences).find(([codes]) => codes.split(' ').includes(code)) ?? []
  if (sentence !== undefined) return { code, message: sentence(target, root) }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
    // The fourth part of `…:SSL routines:ssl3_get_record:wrong version number:…` is the reason.
    const [, part] = /:SSL routines:[^:]*:([^:]+):/.exec(root.message) ?? []
    const reason = part ?? root.message.split('\n')[0]
    return { code, message: `the TLS handshake with ${target.host} fails: ${reason}` }
  }
  return { code, message: root.message }
}

type Sentence = (target: URL, error: Error) => string

const trust = 'trust it with --ca FILE, or skip verification with --insecure'

/** Sentences by the codes that they are for. */
const sentences: Readonly<Record<string, Sentence>> = {
  'ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG ERR_SSL_HTTP_REQUEST ERR_SSL_UNKNOWN_PROTOCOL':
    ({ host }) => `https://${host} does not speak TLS; try http://${host}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: ({ host }) => `the certificate of ${host} is self-signed: ${trust}`,
  'SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE CERT_UNTRUSTED':
    ({ host }) =>
      `the certificate of ${host} is signed by an unknown authority, or is sent without its intermediate certificates: ${trust}`,
  CERT_HAS_EXPIRED: ({ host }) =>
    `the certificate of ${host} has expired: renew it, or skip verification with --insecure`,
  CERT_NOT_YET_VALID: ({ host }) =>
    `the certificate of ${host} is not valid yet: check the clock of this machine, or skip verification with --insecure`,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ hostname }, error) =>
    `the certificate is for another host${namesIn(error)} and not for ${hostname}: use that name (with --resolve, where it has another address), or skip verification with --insecure`,
  'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED ERR_SSL_TLSV1_ALERT_CERTIFICATE_REQUIRED ERR_SSL_SSLV3_ALERT_CERTIFICATE_REQUIRED ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE ERR_SSL_TLSV1_ALERT_UNKNOWN_CA ERR_SSL_TLSV13_ALERT_UNKNOWN_CA':
    ({ host }) =>
      `${host} requires a client certificate that it trusts: pass --cert FILE and --cert-key FILE`,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: ({ host }) =>
    `${host} does not support the requested HTTP version: omit --http1 or --http2`,
  HPE_HEADER_OVERFLOW: ({ host }) =>
    `the headers of a response of ${host} are longer than 64 KiB: it must send shorter ones`,
  NO_HTTP2: ({ host, protocol }) =>
    `${host} does not offer HTTP/2${protocol === 'https:' ? ' in the TLS handshake' : ''}: omit --http2`,
}

/** `: chat.example.org, *.example.com`, from the error of Node. */
function namesIn(error: Error): string {
  if (!('cert' in error) || typeof error.cert !== 'object' || error.cert === null) return ''
  const { cert } = error
  const names = 'subjectaltname' in cert ? String(cert.subjectaltname) : ''
  const plain = names.replaceAll(/(?:DNS|IP Address):/g, '').slice(0, 200)
  return plain === '' ? '' : ` (${plain})`
}

/** The first of several errors, such as those of the addresses of a host. */
export function rootOf(error: Error): Error {
  const [first] = error instanceof AggregateError ? error.errors : []
  return first instanceof Error ? rootOf(first) : error
}

export function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Names of the error codes of HTTP/2, by code (RFC 9113, section 7). */
export const http2ErrorNames: readonly string[] = [
  ...['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT'],
  ...['STREAM_CLOSED', 'FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR'],
  ...['CONNECT_ERROR', 'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'],
]
