import { type Exchange, header, mediaType, requestJson } from '../../../contract/index.ts'
import { type ChatOfRequest, type Command, complete, editsOf, withChat, words } from './chat.ts'
import { authorizationArgument, isQuotable, secretQuote, shellQuote } from './shell-quote.ts'

/**
 * The command line that sends the request of an exchange again, for bash or zsh. Its lines end in a
 * backslash, so the whole can be pasted. Keys are `$CHATGEN_API_KEY` and the like, never values.
 * A body that is not text is piped in as base64; one longer than 4 KiB is read from a file that is
 * named after the exchange, which only {@link toScript} contains. `isCompact`: one line.
 * `chat`: of the request; commands before it create another one, with what the request needs. The script has all
 * earlier changes.
 */
export function toCurl(
  exchange: Exchange,
  { isCompact = false, chat = null }: { isCompact?: boolean; chat?: ChatOfRequest | null } = {},
): string {
  const command = commandOf(exchange, { gap: isCompact ? ' ' : gap })
  if (chat === null) return command.line
  const needed = chat.filter(({ isNeeded }) => isNeeded)
  return withChat(command, needed, (one) => asStep(commandOf(one, { gap: ' ' }), 'curl -s'))
}

/** The same as a script for bash, with bodies of any length. A step that fails ends it with the answer. */
export function toScript(exchange: Exchange, chat: ChatOfRequest | null): string {
  const options = { gap, hasInput: true, edits: chat === null ? null : editsOf(chat) }
  const command = commandOf(exchange, options)
  const stepOf = (one: Exchange) => asStep(commandOf(one, { ...options, gap: ' ' }), 'step')
  const commands = chat === null ? complete(command) : withChat(command, chat, stepOf)
  // Text in single quotes is sent as it is.
  const evaluated = commands.replaceAll(words, (word) => (/^\$?'/.test(word) ? '' : word))
  const variables = evaluated.match(/(?<=\$\{?)CHATGEN_\w+/g) ?? []
  const head = [
    '#!/usr/bin/env bash',
    ...[...new Set(variables)].map(
      (name) => `: "\${${name}:?set it to that secret of the target}"`,
    ),
    ...(chat === null ? [] : [stepFunction]),
  ]
  return `${head.join('\n')}\n${commands}\n`
}

/** Prints the answer of a command if it is a success, else ends the script with it, also from within `$(…)`. */
const stepFunction = `trap 'exit 1' TERM
step() {
  local answer
  answer=$(curl -sS -w '\\n%{http_code}' "$@")
  if [[ $answer == *$'\\n'2?? ]]; then printf '%s\\n' "\${answer%????}"; else
    printf '%s\\n' "$answer" >&2
    kill $$
  fi
}`

function asStep({ line, input }: Command, name: string): Command {
  return { line: line.replace('curl -i', name), input }
}

const gap = ' \\\n  '

/** @param options text between arguments; whether a long body follows the command, and its changes for sed */
function commandOf(
  exchange: Exchange,
  options: { readonly gap: string; readonly hasInput?: boolean; readonly edits?: string | null },
): Command {
  const { method, url } = exchange.request
  const { words, source, input, form = false } = bodyArguments(exchange, options.hasInput ?? false)
  const command = [
    'curl -i',
    ...(isStream(exchange) ? ['-N'] : []),
    ...(exchange.response?.coded === undefined ? [] : ['--compressed']),
    // curl takes these characters for patterns.
    ...(/[[\]{}]/.test(url) ? ['-g'] : []),
    ...(method === 'GET' && words.length === 0 ? [] : [`-X ${shellQuote(method)}`]),
    secretQuote(url),
  ].join(' ')
  const credential = `-H ${authorizationArgument(exchange)}`
  const edit = input && options.edits && `LC_ALL=C sed "${options.edits}"`
  const request = [command, credential, ...headerArguments(exchange, form), ...words]
  const line = [source, edit, request.join(options.gap)].filter((part) => part).join(' | ')
  return { line, input: input ?? null }
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
    .map(([name, value]) => `-H ${secretQuote(value === '' ? `${name};` : `${name}: ${value}`)}`)
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
  readonly source?: string | undefined
  /** Lines for that command, which follow the whole. */
  readonly input?: string
  readonly form?: true
}

function bodyArguments({ id, request }: Exchange, hasInput: boolean): BodyArguments {
  if (request.body === null) return { words: [] }
  const parts = formParts(header(request.headers, 'content-type') ?? '', request.body)
  const form = parts && formArguments(parts)
  if (form) return form
  const text = shortText(request.body)
  if (text !== null) return { words: [`--data-raw ${shellQuote(text)}`] }
  const source = sourceOf(request.body)
  if (source !== null) return { words: ['--data-binary @-'], source }
  if (!hasInput) return { words: [`--data-binary ${shellQuote(`@${id}.body`)}`] }
  const encoded = Buffer.from(request.body).toString('base64')
  const lines = encoded.match(/.{1,76}/g) ?? []
  return {
    words: ['--data-binary @-'],
    source: `base64 -d << 'END'`,
    input: [...lines, 'END'].join('\n'),
  }
}

/** True if only {@link toScript} has the body. */
export function hasLongBody(exchange: Exchange): boolean {
  return bodyArguments(exchange, true).input !== undefined
}

/** Null if a part is too long, or if standard input, which has place for one file, would have several. */
function formArguments(parts: readonly FormPart[]): BodyArguments | null {
  const files = parts.filter(({ filename }) => filename !== null)
  const [source, ...others] = files.map(({ content }) => sourceOf(content))
  const words = parts.flatMap((part) => formArgument(part) ?? [])
  if (source === null || others.length > 0 || words.length < parts.length) return null
  return { words, source, form: true }
}

function formArgument({ name, filename, contentType, content }: FormPart): string | null {
  const text = shortText(content)
  if (filename === null)
    return text === null ? null : `--form-string ${shellQuote(`${name}=${text}`)}`
  const type = contentType === null ? '' : `;type=${contentType}`
  // Quotes for curl, inside those of the shell: its separators are `;` and `,`.
  const quoted = /[";,\\]/.test(filename) ? `"${filename.replace(/["\\]/g, '\\$&')}"` : filename
  return `-F ${shellQuote(`${name}=@-;filename=${quoted}${type}`)}`
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
interface FormPart {
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
