/** Refusals in other shapes and with other statuses: neither is shown for the native surfaces. */
import type { Call, Reply, ValueReply } from '../../../http/call.ts'
import type { Patch } from '../../../services.ts'
import { toObject } from '../../patches/json.ts'
import { onEveryError, onNativeError } from '../../patches/replies.ts'
import type { Dialect } from '../../types.ts'
import { alternatives } from '../alternatives.ts'

/** Must be applied before the shapes, which remove the members by which errors are recognized. */
export const statuses: readonly Dialect[] = [
  ...alternatives([
    {
      name: 'native-auth-403',
      summary: 'Native routes return 403 for missing or wrong credentials.',
      patch: changeNativeStatus(401, 403),
    },
    {
      name: 'native-auth-404',
      summary: 'Native routes return 404 for missing or wrong credentials.',
      patch: changeNativeStatus(401, 404),
    },
  ]),
  ...alternatives([
    {
      name: 'native-refusals-422',
      summary: 'Native routes return 422 instead of 400.',
      patch: changeNativeStatus(400, 422),
    },
    {
      name: 'native-refusals-428-and-409',
      summary: 'Native routes return 428 without Idempotency-Key and 409 for both tool lists.',
      patch: onNativeError((reply) => {
        if (reply.status !== 400) return reply
        const text = messageOf(reply)
        if (/Idempotency-Key/.test(text)) return { ...reply, status: 428 }
        return /tools/.test(text) ? { ...reply, status: 409 } : reply
      }),
    },
  ]),
  ...alternatives([
    {
      name: 'wrong-version-400',
      summary:
        'A chat of the other version is rejected with 400 and a hint to the prefix as plain text.',
      patch: changeVersionError(
        400,
        (right, called) => `Chats of ${right} live under ${right}, not ${called}`,
      ),
    },
    {
      name: 'wrong-version-404',
      summary:
        'A chat of the other version is rejected with 404 and a hint that names both prefixes.',
      patch: changeVersionError(
        404,
        (right, called) => `No such chat under ${called}/message. Try ${right}/message instead.`,
      ),
    },
    {
      name: 'wrong-version-421',
      summary: 'A chat of the other version is rejected with 421 and a URL as hint.',
      patch: changeVersionError(421, (right) => `See https://chat.example${right}/`),
    },
    {
      name: 'wrong-version-409-without-slash',
      summary: 'The hint names the correct prefix without its first slash.',
      patch: changeVersionError(409, (right) => `This chat has the prefix ${right.slice(1)}`),
    },
  ]),
]

export const shapes: readonly Dialect[] = alternatives([
  {
    name: 'errors-as-text',
    summary: 'Errors are plain text.',
    patch: onEveryError((reply) => textReply(reply, 'text/plain; charset=utf-8', messageOf(reply))),
  },
  {
    name: 'errors-as-html',
    summary: 'Errors are HTML pages.',
    patch: onEveryError((reply) =>
      textReply(
        reply,
        'text/html',
        `<!doctype html><h1>${reply.status}</h1><p>${messageOf(reply)}</p>`,
      ),
    ),
  },
  {
    name: 'errors-empty',
    summary: 'Errors have no body, except for the hint to the correct prefix.',
    patch: onEveryError((reply) => {
      const { 'content-type': _, ...headers } = reply.headers ?? {}
      return isHint(reply)
        ? reply
        : { status: reply.status, headers: { ...headers, 'content-length': '0' } }
    }),
  },
  {
    name: 'errors-with-detail',
    summary: 'Errors have the form {"detail": …}, with a string or an array.',
    patch: onEveryError((reply) =>
      jsonReply(
        reply,
        reply.status === 400
          ? { detail: [{ loc: ['body'], msg: messageOf(reply), type: 'value_error' }] }
          : { detail: messageOf(reply) },
      ),
    ),
  },
  {
    name: 'errors-as-a-list',
    summary: 'Errors have the form {"errors": […]}, with escaped slashes.',
    patch: onEveryError((reply) =>
      textReply(
        reply,
        'application/json',
        JSON.stringify({ errors: [{ message: messageOf(reply) }] }).replaceAll('/', '\\/'),
      ),
    ),
  },
  {
    name: 'errors-as-a-json-text',
    summary: 'Errors are a single JSON string.',
    patch: onEveryError((reply) => jsonReply(reply, messageOf(reply))),
  },
  {
    name: 'errors-as-escaped-html',
    summary: 'Errors are HTML pages in which every slash of the message is a character reference.',
    patch: onEveryError((reply) =>
      textReply(
        reply,
        'text/html',
        `<!doctype html><p>${messageOf(reply).replaceAll('/', '&#x2F;')}</p>`,
      ),
    ),
  },
  {
    name: 'errors-within-errors',
    summary: 'Errors contain the JSON of an upstream error as text, with escaped slashes.',
    patch: onEveryError((reply) =>
      jsonReply(reply, {
        upstream: JSON.stringify({ detail: messageOf(reply) }).replaceAll('/', '\\/'),
      }),
    ),
  },
  {
    name: 'errors-as-events',
    summary: 'Rejected generations return the error status and a stream with one error event.',
    patch: onNativeError((reply, call) =>
      /generate$|one-shot$/.test(call.path) && !isHint(reply) ? errorEvent(reply, call) : reply,
    ),
  },
])

function changeNativeStatus(from: number, to: number): Patch {
  return onNativeError((reply) => {
    const { 'www-authenticate': _, ...headers } = reply.headers ?? {}
    return reply.status === from ? { ...reply, headers, status: to } : reply
  })
}

function changeVersionError(
  status: number,
  hint: (right: string, called: string) => string,
): Patch {
  return onNativeError((reply) => {
    if (!isHint(reply)) return reply
    const right = /\/api\/v[23]/.exec(messageOf(reply))?.[0] ?? ''
    const called = right === '/api/v2' ? '/api/v3' : '/api/v2'
    const detail = hint(right, called)
    const body = toObject(reply.body)
    return { ...reply, status, body: { ...body, detail, error: { message: detail } } }
  })
}

function isHint(reply: ValueReply): boolean {
  return /\/api\/v[23]\b/.test(messageOf(reply)) && !/No such route/.test(messageOf(reply))
}

function messageOf({ body, status }: ValueReply): string {
  return String(toObject(body)['detail'] ?? `Error ${status}`)
}

function jsonReply(reply: ValueReply, body: unknown): ValueReply {
  return { ...reply, headers: { ...reply.headers, 'content-type': 'application/json' }, body }
}

function textReply(reply: ValueReply, type: string, text: string): ValueReply {
  return {
    ...reply,
    headers: { ...reply.headers, 'content-type': type },
    body: Buffer.from(text),
  }
}

function errorEvent(reply: ValueReply, _call: Call): Reply {
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
