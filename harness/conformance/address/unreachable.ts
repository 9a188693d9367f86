import type { Exchange } from '../../contract/index.ts'

/** Why nothing answers, in a sentence that names the code of the system. */
export function unreachable(baseUrl: string, answer: Exchange | undefined): string {
  const ending = answer?.ending
  if (ending?.kind === 'timeout') return `${baseUrl} accepts connections but does not answer`
  const code = ending?.kind === 'unreachable' ? ending.code : 'UNKNOWN'
  const reason =
    reasonOf(code, baseUrl) ?? (ending && 'error' in ending ? ending.error : 'no answer')
  return `${baseUrl}: ${reason} (${code})`
}

function reasonOf(code: string, baseUrl: string): string | undefined {
  if (notTls.test(code) && baseUrl.startsWith('https:')) {
    return `it does not speak TLS: did you mean ${baseUrl.replace(/^https:/, 'http:')}?`
  }
  return reasons[code]
}

const notTls =
  /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL))$/

const trust = 'trust it with --ca FILE, or do not verify it with --insecure'

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNRESET: 'the connection is reset before an answer',
  UND_ERR_SOCKET: 'the connection is closed before an answer',
  UND_ERR_CONNECT_TIMEOUT: 'no connection could be made in time',
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed: ${trust}`,
  SELF_SIGNED_CERT_IN_CHAIN: `its certificate comes from an unknown authority: ${trust}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `its certificate comes from an unknown authority: ${trust}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `its certificate comes from an unknown authority: ${trust}`,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}
