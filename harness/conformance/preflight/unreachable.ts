import type { Exchange } from '../../../contract/index.ts'

/** Why nothing answers, in a sentence; of the system's errors it names the code. */
export function unreachableText(baseUrl: string, answer: Exchange | undefined): string {
  const ending = answer?.ending
  if (ending?.kind === 'timeout' || ending?.kind === 'aborted')
    return `${baseUrl} accepts connections but does not answer`
  const code = ending?.kind === 'unreachable' ? ending.code : 'UNKNOWN'
  const error = ending && 'error' in ending ? ending.error : 'no answer'
  const reason = reasons[code]
  // The client tells of TLS and of proxies in sentences of their own.
  if (reason === undefined && error.includes(new URL(baseUrl).hostname)) return error
  if (code.startsWith('PROXY_')) return `${baseUrl}: ${error}`
  return `${baseUrl}: ${reason ?? error} (${code})`
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNRESET: 'the connection is reset before an answer',
  UND_ERR_SOCKET: 'the connection is closed before an answer',
  HTTP2_CONNECTION_CLOSED: 'the HTTP/2 connection is closed before an answer',
  UND_ERR_CONNECT_TIMEOUT: 'no connection could be made in time',
}
