/** Other errors, and responses that repeat the request: the document shows neither. */
import { isObject } from '../../../contract/json.ts'
import type { Call, Reply, ValueReply } from '../../http/call.ts'
import type { Patch } from '../../services.ts'
import { type Json, setAt, toObject } from '../patches/json.ts'
import { onBody, onEachBlock, onError, withHeaders } from '../patches/replies.ts'
import { everywhere, native } from '../patches/requests.ts'
import { compose } from '../patches/services.ts'
import { alternatives, type Dialect, dialectTable } from '../table.ts'

/** Must be applied before the shapes, which remove the fields by which errors are recognized. */
export const statuses: readonly Dialect[] = [
  ...alternatives({
    'native-auth-403: Native routes return 403 for missing or wrong credentials.':
      changeNativeStatus(401, 403),
    'native-auth-404: Native routes return 404 for missing or wrong credentials.':
      changeNativeStatus(401, 404),
  }),
  ...alternatives({
    'native-refusals-422: Native routes return 422 instead of 400.': changeNativeStatus(400, 422),
    'native-refusals-428-and-409: Native routes return 428 without Idempotency-Key and 409 for both tool lists.':
      onError(native, (reply) => {
        if (reply.status !== 400) return reply
        const text = messageOf(reply)
        if (/Idempotency-Key/.test(text)) return { ...reply, status: 428 }
        return /tools/.test(text) ? { ...reply, status: 409 } : reply
      }),
  }),
  ...alternatives({
    'wrong-version-400: A chat of the other version is rejected with 400 and a hint to the prefix as plain text.':
      changeVersionError(
        400,
        (right, called) => `Chats of ${right} live under ${right}, not ${called}`,
      ),
    'wrong-version-404: A chat of the other version is rejected with 404 and a hint that names both prefixes.':
      changeVersionError(
        404,
        (right, called) => `No such chat under ${called}/message. Try ${right}/message instead.`,
      ),
    'wrong-version-421: A chat of the other version is rejected with 421 and a URL as hint.':
      changeVersionError(421, (right) => `See https://chat.example${right}/`),
    'wrong-version-409-without-slash: The hint names the correct prefix without its first slash.':
      changeVersionError(409, (right) => `This chat has the prefix ${right.slice(1)}`),
  }),
]

export const shapes: readonly Dialect[] = alternatives({
  'errors-as-text: Errors are plain text.': errorsAs('text/plain; charset=utf-8', (message) =>
    Buffer.from(message),
  ),
  'errors-as-html: Errors are HTML pages.': errorsAs('text/html', (message, status) =>
    Buffer.from(`<!doctype html><h1>${status}</h1><p>${message}</p>`),
  ),
  'errors-empty: Errors have no body, except for the hint to the correct prefix.': onError(
    everywhere,
    (reply) => {
      const { 'content-type': _, ...headers } = reply.headers ?? {}
      return isHint(reply)
        ? reply
        : { status: reply.status, headers: { ...headers, 'content-length': '0' } }
    },
  ),
  'errors-with-detail: Errors have the form {"detail": …}, with a string or an array.': errorsAs(
    'application/json',
    (msg, status) => ({
      detail: status === 400 ? [{ loc: ['body'], msg, type: 'value_error' }] : msg,
    }),
  ),
  'errors-as-a-list: Errors have the form {"errors": […]}, with escaped slashes and letters.':
    errorsAs('application/json', (message) =>
      Buffer.from(withEscapedSlashes({ errors: [{ message }] }).replaceAll('pi', 'p\\u0069')),
    ),
  'errors-as-a-json-text: Errors are a single JSON string.': errorsAs(
    'application/json',
    (message) => message,
  ),
  'errors-as-escaped-html: Errors are HTML pages in which every slash of the message is a character reference.':
    errorsAs('text/html', (message) =>
      Buffer.from(`<!doctype html><p>${message.replaceAll('/', '&#x2F;')}</p>`),
    ),
  'errors-within-errors: Errors contain the JSON of an upstream error as text, with escaped slashes.':
    errorsAs('application/json', (detail) => ({ upstream: withEscapedSlashes({ detail }) })),
  'errors-as-events: Rejected generations return the error status and a stream with one error event.':
    onError(native, (reply, call) =>
      /generate$|one-shot$/.test(call.path) && !isHint(reply) ? errorEvent(reply) : reply,
    ),
})

/** Errors with another body, made of their message. */
function errorsAs(type: string, bodyOf: (message: string, status: number) => unknown): Patch {
  return onError(everywhere, (reply) => ({
    ...withHeaders(reply, { 'content-type': type }),
    body: bodyOf(messageOf(reply), reply.status),
  }))
}

function withEscapedSlashes(value: object): string {
  return JSON.stringify(value).replaceAll('/', '\\/')
}

function changeNativeStatus(from: number, to: number): Patch {
  return onError(native, (reply) => {
    const { 'www-authenticate': _, ...headers } = reply.headers ?? {}
    return reply.status === from ? { ...reply, headers, status: to } : reply
  })
}

function changeVersionError(
  status: number,
  hint: (right: string, called: string) => string,
): Patch {
  return onError(native, (reply) => {
    if (!isHint(reply)) return reply
    const right = /\/api\/v[23]/.exec(messageOf(reply))?.[0] ?? ''
    const called = right === '/api/v2' ? '/api/v3' : '/api/v2'
    const detail = hint(right, called)
    const body = toObject(reply.body)
    return { ...reply, status, body: { ...body, detail, error: { message: detail } } }
  })
}

function isHint(reply: ValueReply): boolean {
  return /\bapi\/v[23]\b/.test(messageOf(reply)) && !/No such route/.test(messageOf(reply))
}

function messageOf({ body, status }: ValueReply): string {
  return String(toObject(body)['detail'] ?? `Error ${status}`)
}

function errorEvent(reply: ValueReply): Reply {
  const { 'content-type': _, ...headers } = reply.headers ?? {}
  const message = messageOf(reply)
  const data = { type: 'error', sequence_number: 0, code: null, message, param: null }
  return {
    status: reply.status,
    headers,
    blocks: (async function* () {
      yield { event: 'error', data }
    })(),
  }
}

/** Names of the fields that contain lists in any dialect. */
const listNames = ['result', 'items', 'data']

export const echoes = dialectTable({
  'echoes-the-request: Responses, errors, list elements and response objects repeat the request in additional members.':
    compose([
      onBody(everywhere, (reply, call) => ({ ...reply, body: bodyWith(reply.body, echoOf(call)) })),
      onEachBlock(everywhere, (data, _, call) => [
        setAt(data, 'response', (response: unknown) =>
          isPlain(response) ? { ...response, ...echoOf(call) } : response,
        ),
      ]),
    ]),
})

function echoOf({ method, path, query, headers, body, file }: Call): Json {
  const { authorization: _, ...publicHeaders } = headers
  const values = Object.entries(toObject(query)).map(([name, value]) => [name, [value]])
  return {
    x_request: { method, path, query, headers: publicHeaders, body: body ?? null },
    ...(values.length > 0 && { x_query: Object.fromEntries(values) }),
    // For multipart requests, only x_request is added.
    ...(file === undefined && Object.keys(toObject(body)).length > 0 ? { x_settings: body } : {}),
  }
}

function bodyWith(body: unknown, echo: Json): unknown {
  if (Array.isArray(body))
    return body.map((element) => (isPlain(element) ? { ...element, ...echo } : element))
  if (!isPlain(body)) return body
  const lists = Object.entries(body)
    .filter(([name, value]) => listNames.includes(name) && Array.isArray(value))
    .map(([name, value]) => [name, bodyWith(value, echo)])
  return { ...body, ...Object.fromEntries(lists), ...echo }
}

function isPlain(value: unknown): value is Json {
  return isObject(value) && !(value instanceof Uint8Array)
}
