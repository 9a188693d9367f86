import { type Exchange, header, mediaType, requestJson } from '../../../contract/index.ts'
import { authorizationArgument } from './authorization.ts'
import { type FormPart, formParts } from './multipart.ts'
import { isQuotable, shellQuote } from './shell-quote.ts'

/**
 * The command line that sends the request of an exchange again, for bash or zsh. Its lines end in a
 * backslash, so the whole can be pasted. Keys are `$CHATGEN_API_KEY` and the like, never values.
 * A body that is too long or not text is piped in as base64 or, longer than 4 KiB, read from a file
 * that is named after the exchange: `exchanges.ndjson` holds its bytes. `isCompact`: two lines at most.
 */
export function toCurl(exchange: Exchange, { isCompact = false } = {}): string {
  const { method, url } = exchange.request
  const body = bodyArguments(exchange)
  const words = [
    'curl -i',
    ...(isStream(exchange) ? ['-N'] : []),
    ...(exchange.response?.coded === undefined ? [] : ['--compressed']),
    // curl takes these characters for patterns.
    ...(/[[\]{}]/.test(url) ? ['-g'] : []),
    ...(method === 'GET' && body.words.length === 0 ? [] : [`-X ${shellQuote(method)}`]),
    shellQuote(url),
  ]
  const target = [words.join(' '), `-H ${authorizationArgument(exchange)}`]
  const others = [...headerArguments(exchange, body.form), ...body.words]
  const lines = isCompact
    ? [target, others].map((arguments_) => arguments_.join(' ')).filter(Boolean)
    : [...target, ...others]
  return (body.source === null ? '' : `${body.source} | `) + lines.join(' \\\n  ')
}

/** Longer bodies would bury the command that they stand in. */
const maxBodyLength = 4096

/** Headers that curl sets itself, that concern one connection, or that name one run. */
const noise = new Set([
  'authorization',
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-request-id',
])

function headerArguments({ request }: Exchange, form: boolean): readonly string[] {
  const own = request.headers
    .filter(([name]) => !noise.has(name.toLowerCase()))
    // The boundary of a form is curl's own.
    .filter(([name]) => !form || name.toLowerCase() !== 'content-type')
    // A header with an empty value ends in a semicolon, else curl would leave it out.
    .map(([name, value]) => `-H ${shellQuote(value === '' ? `${name};` : `${name}: ${value}`)}`)
  const untyped = request.body !== null && !form && !header(request.headers, 'content-type')
  return untyped ? [...own, '-H Content-Type:'] : own
}

function isStream(exchange: Exchange): boolean {
  if (mediaType(exchange) === 'text/event-stream') return true
  const json = requestJson(exchange)
  return typeof json === 'object' && json !== null && 'stream' in json && json.stream === true
}

interface BodyArguments {
  readonly words: readonly string[]
  /** A command whose output is the body or the file of a form. */
  readonly source: string | null
  readonly form: boolean
}

function bodyArguments({ id, request }: Exchange): BodyArguments {
  if (request.body === null) return { words: [], source: null, form: false }
  const parts = formParts(header(request.headers, 'content-type') ?? '', request.body)
  if (parts !== null) return formArguments(parts)

  const text = shortText(request.body)
  if (text !== null) {
    return { words: [`--data-raw ${shellQuote(text)}`], source: null, form: false }
  }
  const source = sourceOf(request.body)
  const from = source === null ? `@${id}.body` : '@-'
  return { words: [`--data-binary ${shellQuote(from)}`], source, form: false }
}

/** The first file that is short enough is piped in; others are read from files of their names. */
function formArguments(parts: readonly FormPart[]): BodyArguments {
  const piped = parts.find((part) => part.filename !== null && sourceOf(part.content) !== null)
  return {
    words: parts.map((part) => formArgument(part, part === piped)),
    source: piped === undefined ? null : sourceOf(piped.content),
    form: true,
  }
}

function formArgument({ name, filename, contentType, content }: FormPart, piped: boolean): string {
  if (filename === null) {
    return `--form-string ${shellQuote(`${name}=${shortText(content) ?? `(${content.length} bytes)`}`)}`
  }
  const type = contentType === null ? '' : `;type=${contentType}`
  const file = piped ? `@-;filename=${formQuote(filename)}` : `@${formQuote(filename)}`
  return `-F ${shellQuote(`${name}=${file}${type}`)}`
}

/** Quotes of curl's own, inside those of the shell: its separators are `;` and `,`. */
function formQuote(text: string): string {
  return /[";,\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
}

function sourceOf(bytes: Uint8Array): string | null {
  const text = shortText(bytes)
  if (text !== null) return `printf %s ${shellQuote(text)}`
  if (bytes.length > maxBodyLength) return null
  return `echo ${Buffer.from(bytes).toString('base64')} | base64 -d`
}

/** The bytes as text; null where they are too long, not UTF-8, or hold what no argument can. */
function shortText(bytes: Uint8Array): string | null {
  if (bytes.length > maxBodyLength) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return isQuotable(text) ? text : null
  } catch {
    return null
  }
}
