import type { Answer, Middleman, ProxiedRequest } from './proxy.ts'

/**
 * A server that repeats the credential of each request wherever it can: in headers, bodies, errors,
 * events, their names and comments, and in pieces that only a reader puts together again. Tests of the
 * redaction cover more encodings.
 */
export const echo: Middleman = {
  headers: (request) => {
    const key = keyOf(request)
    return {
      'x-plain': key,
      'x-percent': encodeURIComponent(key),
      'set-cookie': [`session=${base64(`user:${key}`)}`],
    }
  },
  pieces: (request, answer) => {
    const key = keyOf(request)
    const body = isStream(answer) ? inStream(answer, key) : inBody(answer, key)
    return halves(body, key)
  },
}

function keyOf({ headers }: ProxiedRequest): string {
  return headers.authorization?.replace(/^\S+ +/, '') ?? 'no key'
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function isStream({ headers }: Answer): boolean {
  return headers['content-type']?.includes('event-stream') ?? false
}

const toBeEscaped = 'all of the key, in JSON escapes'
const toBeEscapedFrom9 = 'the rest of the key, in JSON escapes'

/** JSON with the key escaped as another writer might do it. */
function jsonOf(value: unknown, key: string): string {
  const escapes = (text: string) =>
    text.replaceAll(/./g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replaceAll(toBeEscaped, escapes(key))
    .replaceAll(toBeEscapedFrom9, escapes(key.slice(9)))
}

/** Forms of the key in a body. A judge quotes the `object` of a list in its message. */
function echoes(key: string): object {
  return {
    echo: {
      plain: key,
      base64: ['', 'a', 'ab'].map((before) => base64(before + key)),
      url: `https://example.org/?key=${encodeURIComponent(key)}`,
      base64url: ['', '?', '??'].map((before) => Buffer.from(before + key).toString('base64url')),
      wholly: toBeEscaped,
      partly: `${key.slice(0, 9)}${toBeEscapedFrom9}`,
      inPart: [key.slice(0, 12), key.slice(-12), key.slice(5, 17)].flatMap((part) => [
        part,
        base64(`:${part}`),
      ]),
      tokens: (key.match(/.{1,5}/g) ?? []).map((token) => ({ token })),
      markup: key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      quoted: key.replaceAll("'", "\\'"),
      [key]: 'as a name',
    },
    error: { message: `Is ${key} a key?`, type: key, code: key },
    object: key,
    long: `${'x'.repeat(3_980)}${key}`,
  }
}

function inBody({ body, status }: Answer, key: string): string {
  const text = body.toString()
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return text
    return jsonOf({ ...value, ...(status < 300 ? echoes(key) : {}), detail: key }, key)
  } catch {
    return text === '' ? '' : `${text} ${key}`
  }
}

/** Puts the key into comments, a name and data, and a few characters into each delta. */
function inStream({ body }: Answer, key: string): string {
  let at = 0
  const altered = body.toString().replaceAll(/"(delta|content)":"[^"]*"/g, (_, name: string) => {
    const piece = key.slice(at % key.length, (at % key.length) + 5)
    at = at % key.length >= key.length - 5 ? 0 : at + 5
    return `"${name}":${JSON.stringify(piece)}`
  })
  return `: ${key}\n\nevent: svc:${key}\ndata: ${JSON.stringify({ type: `svc:${key}`, key })}\n\nevent: svc:echo\ndata: ${jsonOf({ type: 'svc:echo', ...echoes(key) }, key)}\n\n${altered}`
}

/** The body in pieces that break in the middle of each occurrence. */
function halves(body: string, key: string): readonly Buffer[] {
  const middle = Math.floor(key.length / 2)
  const parts = body.split(key)
  return parts
    .flatMap((part, at) => [
      `${at === 0 ? '' : key.slice(middle)}${part}${at === parts.length - 1 ? '' : key.slice(0, middle)}`,
    ])
    .map((part) => Buffer.from(part))
}
