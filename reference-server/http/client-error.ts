/** Requests that are no HTTP: node hands over the bare socket. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, errorReply } from './errors.ts'

export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, body } = errorReply(clientError(error.code))
  const content = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(content)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${content}`)
}

function clientError(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError(431, 'The headers are too large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError(408, 'The request took too long')
  return new ApiError(400, 'The request is not HTTP')
}
