import { type Exchange, header, mediaType, requestJson } from '../../../contract/index.ts'
import { printable } from '../escape.ts'
import { type ChatOfRequest, withChat } from './chat.ts'
import { isQuotable, shellQuote } from './shell-quote.ts'

/**
 * The command line that sends the request of an exchange again, for bash or zsh. Its lines end in a
 * backslash, so the whole can be pasted. Keys are `$CHATGEN_API_KEY` and the like, never values.
 * A body that is too long or not text is piped in as base64 or, longer than 4 KiB, read from a file
 * that is named after the exchange: `exchanges.ndjson` holds its bytes. `isCompact`: two lines at most.
 * `chat`: of the request; commands before it create another one, and change it as it was before a GET.
 */
export function toCurl(
  exchange: Exchange,
  { isCompact = false, chat = null }: { isCompact?: boolean; chat?: ChatOfRequest | null } = {},
): string {
  const command = commandOf(exchange, isCompact)
  return chat === null ? command : withChat(command, chat, (one) => commandOf(one, true, ' '))
}

function commandOf(exchange: Exchange, isCompact: boolean, gap = ' \\\n  '): string {
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
  return (body.source === null ? '' : `${body.source} | `) + lines.join(gap)
}

/** Longer bodies would obscure their command. */
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
    // curl generates the boundary of a form.
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

/** The first file that is short enough is piped in; others are read from files with their names. */
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

/** Quotes for curl, inside those of the shell: its separators are `;` and `,`. */
function formQuote(text: string): string {
  return /[";,\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
}

function sourceOf(bytes: Uint8Array): string | null {
  const text = shortText(bytes)
  if (text !== null) return `printf %s ${shellQuote(text)}`
  if (bytes.length > maxBodyLength) return null
  return `echo ${Buffer.from(bytes).toString('base64')} | base64 -d`
}

/** The bytes as text; null if they are too long, not UTF-8, or cannot be an argument. */
function shortText(bytes: Uint8Array): string | null {
  if (bytes.length > maxBodyLength) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return isQuotable(text) ? text : null
  } catch {
    return null
  }
}

/** A part of a `multipart/form-data` body; `filename` is null for a plain field. */
export interface FormPart {
  readonly name: string
  readonly filename: string | null
  readonly contentType: string | null
  readonly content: Uint8Array
}

/**
 * The parts of a form body (RFC 7578), or null if the body does not match its content type: then it
 * can only be repeated byte by byte.
 */
export function formParts(contentType: string, body: Uint8Array): readonly FormPart[] | null {
  if (!/^multipart\/form-data\b/i.test(contentType)) return null
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType)
  const delimiter = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`
  if (delimiter === '--') return null

  // Latin-1 maps bytes to characters one to one, so text searches find byte offsets.
  const [preamble, ...sections] = Buffer.from(body).toString('latin1').split(delimiter)
  const end = sections.pop()
  if (preamble?.trim() !== '' || end === undefined || end.trim() !== '--') return null
  const parts = sections.map(formPart)
  return parts.length > 0 && parts.every((part) => part !== null) ? parts : null
}

function formPart(section: string): FormPart | null {
  const match = /^\r\n([\s\S]*?)\r\n\r\n([\s\S]*)\r\n$/.exec(section)
  if (match === null) return null
  const [, head = '', content = ''] = match
  const disposition = headerOf(head, 'content-disposition')
  const name = parameterOf(disposition, 'name')
  if (name === null) return null
  return {
    name,
    filename: parameterOf(disposition, 'filename'),
    contentType: headerOf(head, 'content-type') || null,
    content: new Uint8Array(Buffer.from(content, 'latin1')),
  }
}

function headerOf(head: string, name: string): string {
  const lines = Buffer.from(head, 'latin1').toString('utf8').split('\r\n')
  const line = lines.find((text) => text.toLowerCase().startsWith(`${name}:`)) ?? ''
  return line.slice(name.length + 1).trim()
}

function parameterOf(value: string, name: string): string | null {
  return new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(value)?.[1] ?? null
}

/**
 * The `-H` argument that repeats the credential of an exchange without showing it. Recorded
 * exchanges hold a mark in place of a secret: `[api key]` becomes `$CHATGEN_API_KEY`, a key
 * without its first or last character becomes `${CHATGEN_API_KEY#?}` or `${CHATGEN_API_KEY%?}`, one in the
 * other letter case is piped through `tr`. A credential without a mark was a wrong one if the request had to
 * be refused; it is named as such, since any wrong one repeats the request.
 */
export function authorizationArgument(exchange: Exchange): string {
  const value = header(exchange.request.headers, 'authorization')
  // An empty value makes curl send no such header, which is more explicit than omitting it.
  if (value === undefined) return shellQuote('Authorization:')
  const printed = printable(value)
  if (!marks.test(printed)) return unmarked(printed, exchange)
  return inBase64(printed) ?? marked(printed)
}

const marks =
  /\[([a-z]+(?: [a-z]+)*?)( without its (?:first|last) character| in the other letter case)?\]/

function marked(value: string): string {
  return `"${withVariables(`Authorization: ${value}`)}"`
}

/**
 * A mark inside base64 represents the bytes of the key, as in `Basic Y2hhdGdlbjp[api key]Q==`: the shell
 * has to encode them again. Null if the part before the key is not text, or if more than the last bits of
 * the key follow it.
 */
function inBase64(value: string): string | null {
  const parts = /^(Basic) ([A-Za-z0-9+/]*)(\[[a-z ]+\])[A-Za-z0-9+/]?=*$/.exec(value)
  const [, scheme, before = '', mark = ''] = parts ?? []
  if (parts === null || before === '') return null
  const text = Buffer.from(before, 'base64').toString('latin1')
  if (!/^[\x20-\x7e]+$/.test(text)) return null
  return `"Authorization: ${scheme} $(printf %s "${withVariables(text + mark)}" | base64 | tr -d '\\n')"`
}

/** Escapes for double quotes of a shell. */
function withVariables(text: string): string {
  const quoted = text.replace(/["\\$`]/g, '\\$&')
  const named = quoted.replaceAll(new RegExp(marks, 'g'), (_, name: string, change?: string) => {
    const variable = `CHATGEN_${name.toUpperCase().replaceAll(' ', '_')}`
    if (change === undefined) return `\${${variable}}`
    if (change === ' without its first character') return `\${${variable}#?}`
    if (change === ' without its last character') return `\${${variable}%?}`
    return `$(printf %s "$${variable}" | tr a-zA-Z A-Za-z)`
  })
  // Braces only if a character follows that would lengthen the name.
  return named.replace(/\$\{(\w+)\}(?!\w)/g, '$$$1')
}

function unmarked(value: string, { labels }: Exchange): string {
  if (/^(bearer|basic)? *$/i.test(value)) return shellQuote(`Authorization: ${value}`)
  const [scheme, credential] = value.split(/\s+(.*)/, 2)
  const stands = labels.role === 'negative' ? 'a-wrong-key' : '$CHATGEN_API_KEY'
  const plain = scheme?.replace(/["\\`$]/g, '')
  const text = credential === undefined ? stands : `${plain} ${stands}`
  return `"Authorization: ${text}"`
}
