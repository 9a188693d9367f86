/** Every refusal is problem details (RFC 9457) with the `error` field of the SDKs. */
import type { Socket } from 'node:net'
import { ZodError } from 'zod'
import { ModelOutage, UnsupportedSchema } from '../model/types.ts'
import { StoreFailure } from '../store/types.ts'
import type { ValueReply } from './call.ts'

// Without an import, as in ../server.ts.
export const { STATUS_CODES } = process.getBuiltinModule('node:http')

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string | null
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>

  /** @param param the invalid field */
  constructor(
    status: number,
    message: string,
    code: string | null = null,
    param: string | null = null,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.param = param
    this.headers = headers
  }
}

/** @throws ApiError 404 if the object does not exist, or belongs to another caller */
export function or404<T>(object: T | undefined, message: string, code: string, param: string): T {
  if (object === undefined) throw new ApiError(404, message, code, param)
  return object
}

/** Answer for any thrown value; internal errors are not described. */
export function errorReply(thrown: unknown): ValueReply {
  const error = apiError(thrown)
  const { status, message, code, param } = error
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...error.headers },
    body: {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: message,
      error: { message, type: errorType(status), param, code },
    },
  }
}

export function isInternal(thrown: unknown): boolean {
  return apiError(thrown).code === 'internal_error'
}

/** Answers requests that are not valid HTTP, for which Node.js passes the raw socket. */
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

function apiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof ZodError) return invalid(thrown)
  if (thrown instanceof ModelOutage) return outage(thrown)
  if (thrown instanceof UnsupportedSchema) return new ApiError(400, thrown.message, thrown.code)
  if (thrown instanceof StoreFailure) return storeRefusal(thrown)
  // Only a shutdown aborts work with a waiting client.
  if (thrown instanceof Error && thrown.name === 'AbortError') {
    const message = 'The server shut down before the answer was complete'
    return new ApiError(503, message, 'service_unavailable', null, { 'retry-after': '1' })
  }
  return new ApiError(500, 'Internal error', 'internal_error')
}

/** The first issue is enough: a client fixes one field at a time. */
function invalid(error: ZodError): ApiError {
  const issue = deepest(error.issues[0])
  const param = issue?.path.map(String).join('.') || null
  const message = `${param ?? 'request'}: ${issue?.message ?? 'invalid'}`
  return new ApiError(400, message, 'invalid_value', param)
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Issue of a union: the branch that got furthest is the most specific. */
function deepest(issue: ZodError['issues'][number] | undefined): Issue | undefined {
  if (issue === undefined || issue.code !== 'invalid_union') return issue
  const nested = issue.errors
    .map((branch) => deepest(branch[0]))
    .filter((found) => found !== undefined)
  const furthest = nested.toSorted((a, b) => b.path.length - a.path.length)[0]
  if (furthest === undefined || furthest.path.length === 0) return issue
  return { path: [...issue.path, ...furthest.path], message: furthest.message }
}

function outage({ status, message, code, retryAfter }: ModelOutage): ApiError {
  const seconds = retryAfter ?? (status === 429 || status === 503 ? 1 : undefined)
  const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) }
  return new ApiError(status, message, code, null, headers)
}

const storeStatuses = { store_unavailable: 503, store_full: 507, idempotency_key_in_use: 409 }

function storeRefusal({ code, message }: StoreFailure): ApiError {
  const headers = code === 'store_full' ? {} : { 'retry-after': '1' }
  return new ApiError(storeStatuses[code], message, code, null, headers)
}

function errorType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

function clientError(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError(431, 'The headers are too large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError(408, 'The request took too long')
  return new ApiError(400, 'The request is not HTTP')
}
