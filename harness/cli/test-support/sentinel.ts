import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { restoreExchanges } from '../../../contract/index.ts'
import type { Ended } from './chatgen.ts'
import type { Answer, Middleman, ProxiedRequest } from './servers.ts'

/** Random parts, of which no artifact may show eight characters in a row; keys add what needs escapes. */
const parts = [
  'k7Qm2Zx9Lw4Rt8Yp3Nv6',
  'Hd5Gs0Jf1Ub8Ec3Wa6Ti',
  'Vy2Ko9Xn4Mr7Pl5Zq0Bj',
  'Cz8Fr2Ds6Tg1Yb4Uh9Ji',
]

const [apiKey = '', otherKey = '', gatewayKey = ''] = parts.map((part) => `sk-${part}/+=&<"'>~`)

/** A password that is valid in a URL. */
export const password = parts[3] ?? ''
export { apiKey, gatewayKey, otherKey }

interface Shown {
  readonly name: string
  readonly text: string
}

/** Leaks of the keys in a results folder and the output of runs, each place and piece once. */
export function leaksIn(folder: string, outputs: readonly Ended[]): readonly string[] {
  const files = filesIn(folder).map((file) => ({ name: file, text: readFileSync(file, 'utf8') }))
  const texts = [
    ...files.map(({ name, text }) => ({ name, text: `${name}\n${text}` })),
    ...outputs.flatMap(({ stdout, stderr }, at) => [
      { name: `stdout ${at}`, text: stdout },
      { name: `stderr ${at}`, text: stderr },
    ]),
    ...files.filter(({ name }) => name.endsWith('exchanges.ndjson')).flatMap(spoken),
    ...files.filter(({ name }) => name.endsWith('report.json')).flatMap(packed),
  ]
  const leaks = texts.flatMap(({ name, text }) =>
    readings(text).flatMap((reading) => shownParts(reading).map((part) => `${name}: ${part}`)),
  )
  return [...new Set(leaks)]
}

export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Joined text of the events of each stream. */
function spoken({ text }: Shown): Shown[] {
  return restoreExchanges(text).exchanges.map(({ id, events }) => ({
    name: `events of ${id}`,
    text: events
      .flatMap(({ data }) => data.match(/(?<="(?:delta|content)":")[^"]*/g) ?? [])
      .join(''),
  }))
}

/** The measurements of a shard are compressed. */
function packed({ name, text }: Shown): Shown[] {
  const [, measurements] = /"measurements": "([^"]*)"/.exec(text) ?? []
  if (measurements === undefined) return []
  const inside = gunzipSync(Buffer.from(measurements, 'base64')).toString()
  return [{ name: `measurements in ${name}`, text: inside }]
}

/** A text as each reader would decode it, independently of the redaction. */
function readings(text: string): readonly string[] {
  const fromHex = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))
  return [
    text,
    text.replaceAll(/%([0-9a-fA-F]{2})/g, fromHex),
    text.replaceAll(/\\+(?:u00|x)([0-9a-fA-F]{2})/g, fromHex),
    text.replaceAll('\\', ''),
    ...(text.match(/[A-Za-z0-9+/_-]{12,}/g) ?? []).flatMap((run) =>
      [0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), 'base64').toString('latin1')),
    ),
  ]
}

const minShownLength = 8

/** The first piece of each part that a reading shows, in capitals or not. */
function shownParts(reading: string): readonly string[] {
  const inLowerCase = reading.toLowerCase()
  return parts.flatMap((part) => {
    const pieces = Array.from({ length: part.length - minShownLength + 1 }, (_, at) =>
      part.slice(at, at + minShownLength),
    )
    const match = pieces.find((piece) => inLowerCase.includes(piece.toLowerCase()))
    return match === undefined ? [] : [match]
  })
}

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
    const isStream = answer.headers['content-type']?.includes('event-stream')
    return halves(isStream ? inStream(answer, key) : inBody(answer, key), key)
  },
}

function keyOf({ headers }: ProxiedRequest): string {
  return headers.authorization?.replace(/^\S+ +/, '') ?? 'no key'
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Forms of the key in a body. A judge quotes the `object` of a list in its message, a page cuts what is long. */
function echoes(key: string): object {
  return {
    echo: {
      plain: key,
      base64: ['', 'a', 'ab'].map((before) => base64(before + key)),
      url: `https://example.org/?key=${encodeURIComponent(key)}`,
      tokens: (key.match(/.{1,5}/g) ?? []).map((token) => ({ token })),
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
    return JSON.stringify({ ...value, ...(status < 300 ? echoes(key) : {}), detail: key })
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
  return `: ${key}\n\nevent: svc:${key}\ndata: ${JSON.stringify({ type: `svc:${key}`, key })}\n\nevent: svc:echo\ndata: ${JSON.stringify({ type: 'svc:echo', ...echoes(key) })}\n\n${altered}`
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
