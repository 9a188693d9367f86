import { type Exchange, header } from '../../../contract/index.ts'
import { named, printable, unprintable } from '../escape.ts'

/**
 * One word of a shell command. Plain words are unchanged, text is in single quotes; characters that a
 * terminal would interpret or a paste would break (line ends, escapes, direction marks) are written in
 * the `$'…'` form of bash, zsh and ksh. An argument cannot contain NUL: check {@link isQuotable}.
 */
export function shellQuote(text: string): string {
  if (plain.test(text)) return text
  if (text.search(unprintable) < 0) return `'${text.replaceAll("'", "'\\''")}'`
  return `$'${text.replace(/['\\]/g, '\\$&').replace(unprintable, escapeCharacter)}'`
}

export function isQuotable(text: string): boolean {
  return !text.includes('\0')
}

const plain = /^[\w@%+=:,./-]+$/

/** Bytes of UTF-8 rather than `\\u`, which depends on the locale of the shell. */
function escapeCharacter(character: string): string {
  const bytes = Buffer.from(character).toString('hex')
  return named[character] ?? bytes.replaceAll(/../g, '\\x$&')
}

/**
 * The `-H` argument that repeats the credential of an exchange without showing it. Recorded
 * exchanges contain a mark in place of a secret: `[api key]` becomes `$CHATGEN_API_KEY`, a key
 * without its first or last character becomes `${CHATGEN_API_KEY#?}` or `${CHATGEN_API_KEY%?}`, one in the
 * other letter case is piped through `tr`. A credential without a mark was a wrong one if the request had to
 * be refused; one of the same length repeats the request.
 */
export function authorizationArgument(exchange: Exchange): string {
  const value = header(exchange.request.headers, 'authorization')
  // An empty value makes curl send no such header, which is more explicit than omitting it.
  if (value === undefined) return shellQuote('Authorization:')
  const printed = printable(value)
  if (!marks.test(printed)) return unmarked(printed, exchange)
  return inBase64(printed) ?? `"${withVariables(`Authorization: ${printed}`)}"`
}

/** A word in which the recording has marks in place of secrets of the profile: they are variables. */
export function secretQuote(text: string): string {
  const printed = printable(text)
  return profileMarks.test(printed) ? `"${withVariables(printed)}"` : shellQuote(text)
}

const profileMarks = /\[(?:api key|native token|other key|(?:header|query) [\w .-]+)\]/

const marks =
  /\[([a-z]+(?: [\w.-]+)*?)( without its (?:first|last) character| in the other letter case)?\]/

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
    const variable = `CHATGEN_${name.toUpperCase().replaceAll(/\W/g, '_')}`
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
  const { length } = credential ?? value
  const wrong = 'a-wrong-key'.slice(0, length).padEnd(length, '-')
  const stands = labels.role === 'negative' ? wrong : '$CHATGEN_API_KEY'
  const plain = scheme?.replace(/["\\`$]/g, '')
  const text = credential === undefined ? stands : `${plain} ${stands}`
  return `"Authorization: ${text}"`
}
