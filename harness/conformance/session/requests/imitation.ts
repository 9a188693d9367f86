import type { Header, Surface } from '../../../../contract/index.ts'
import {
  headOf,
  type RecordedClient,
  recordedClients,
  type Shape,
} from '../../../../fixtures/clients.ts'
import { createRandomPicker, shuffled, toUuid } from '../identities.ts'

/** A client whose requests are imitated to the byte. */
export interface Imitation extends RecordedClient {
  readonly name: string
}

/** Properties of a request that decide which clients can send it. */
export interface ImitatedRequest {
  readonly surface: Surface
  readonly shape: Shape
  readonly isStream: boolean
  /** Headers, credentials or bytes that only a general client sends. */
  readonly isUnusual: boolean
  readonly url: URL
  readonly httpVersion: 'auto' | 'http1' | 'http2'
}

/** Numbers of clients of a customer, each as likely as another. */
const fleetSizes = [1, 1, 2, 2, 3]
/** Maximum processes of a client, which have connections of their own. */
const maxProcesses = 6

const sdks = ['openai-python', 'openai-node', 'ai', 'langchain']

/**
 * Clients that offer HTTP/2 over TLS with the same header fields; Go and browsers use others there, and are
 * not imitated.
 */
const overHttp2 = ['curl', 'okhttp']
const otherOverHttp2 = ['go', 'chromium']

/**
 * The client that sends a request: the first of the customer's clients, in the order of the process in which the
 * scenario runs, that is able to, or else another one. The same for the same seed, scenario and request.
 */
export function imitationFor(seed: string, scenario: string, request: ImitatedRequest): Imitation {
  const all = shuffled(Object.keys(recordedClients), seed)
  const fleet = all.slice(0, fleetSizes[createRandomPicker(seed)(fleetSizes.length)])
  const name = [...shuffled(fleet, `${seed}/${processOf(seed, scenario)}`), ...all].find((one) =>
    canSend(one, request),
  )
  const recorded = recordedClients[name ?? '']
  if (name === undefined || recorded === undefined) throw new Error('no client sends this request')
  return { ...recorded, name }
}

/** Process of the client in which a scenario runs, by ordinal. */
export function processOf(seed: string, scenario: string): number {
  return createRandomPicker(`${seed}/${scenario}`)(
    1 + createRandomPicker(`${seed}/processes`)(maxProcesses),
  )
}

/** True if HTTP/1.1 must be forced, as the client offers no HTTP/2 here. */
export function speaksHttp1({ name }: Imitation, { url, httpVersion }: ImitatedRequest): boolean {
  return url.protocol === 'https:' && httpVersion === 'auto' && !overHttp2.includes(name)
}

function canSend(name: string, request: ImitatedRequest): boolean {
  const { surface, isUnusual, isStream, shape, url, httpVersion } = request
  if (isStream && recordedClients[name]?.streams === false) return false
  if (headOf(recordedClients[name]?.heads ?? {}, shape) === undefined) return false
  if (sdks.includes(name) && (surface !== 'openai' || isUnusual)) return false
  if (httpVersion === 'http2') return overHttp2.includes(name)
  return url.protocol === 'http:' || httpVersion === 'http1' || !otherOverHttp2.includes(name)
}

/** Values of the placeholders; a line without its value is left out. */
export interface HeadValues {
  readonly host: string
  readonly length: number
  readonly authorization: string | null
  readonly type: string | undefined
}

/** The header lines, with headers of the request in the place where a user of the client would have them. */
export function imitatedHead(
  { heads }: Imitation,
  shape: Shape,
  values: HeadValues,
  own: readonly Header[],
): Header[] {
  const key = own.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1]
  const filled = { ...values, key } as Readonly<Record<string, string | number | null | undefined>>
  const template = headOf(heads, shape === 'json' && key !== undefined ? 'keyed' : shape) ?? ''
  const lines = template.split('\n').flatMap((line): Header[] => {
    const [name = '', text = ''] = split(line)
    const member = /\{(\w+)\}/.exec(text)?.[1]
    if (member === undefined) return [[name, text]]
    const value = filled[member]
    return value === undefined || value === null
      ? []
      : [[name, text.replace(`{${member}}`, `${value}`)]]
  })
  for (const [name, value] of own) {
    const at = lines.findIndex(([other]) => other.toLowerCase() === name.toLowerCase())
    const place = lines.findIndex(([other]) => other.toLowerCase() === 'authorization') + 1
    if (at >= 0) lines[at] = [lines[at]?.[0] ?? name, value]
    else lines.splice(place === 0 ? lines.length : place, 0, [name, value])
  }
  return lines
}

/** JSON as the client writes it. */
export function imitatedJson(client: Imitation, value: unknown): string {
  const { spacedJson = false, escapesUnicode = false, escapesHtml = false } = client
  const ordered = inOrder(client, value)
  // Line feeds are those of the layout alone: texts have them escaped.
  const text = spacedJson
    ? JSON.stringify(ordered, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '')
    : JSON.stringify(ordered)
  const plain = escapesHtml ? text.replace(/[<>&\u2028\u2029]/g, escaped) : text
  return escapesUnicode ? plain.replace(/[^ -~]/g, escaped) : plain
}

/** A completion with its members as the client orders them. */
function inOrder({ members = [], addsStream = false }: Imitation, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('messages' in value)) return value
  const given = new Map(Object.entries({ ...(addsStream && { stream: false }), ...value }))
  const names = [...members.filter((name) => given.has(name)), ...given.keys()]
  return Object.fromEntries(names.map((name) => [name, given.get(name)]))
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Form of a multipart body (RFC 2046, 5.1.1). */
export interface FormStyle {
  readonly boundary: string
  /** Each part begins with its type. */
  readonly typesParts: boolean
}

/** The style of a client, the same for the same text. */
export function imitatedForm(
  { boundary = '', typesParts = false }: Imitation,
  text: string,
): FormStyle {
  return { boundary: boundaryLike(boundary, text), typesParts }
}

function boundaryLike(boundary: string, text: string): string {
  if (/^[0-9a-f]{8}-/.test(boundary)) return toUuid(text)
  const [, prefix = '', random = ''] =
    /^(-*(?:formdata-undici-0|WebKitFormBoundary)?)(.*)$/.exec(boundary) ?? []
  const draw = createRandomPicker(text)
  const letters = /^\d+$/.test(random) ? 10 : /^[0-9a-f]+$/.test(random) ? 16 : alphabet.length
  return prefix + random.replace(/./g, () => alphabet.charAt(draw(letters)))
}

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

function split(line: string): [string, string] {
  const at = line.indexOf(': ')
  return [line.slice(0, at), line.slice(at + 2)]
}
