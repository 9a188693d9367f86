import { unprintable } from '../escape.ts'

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

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Bytes of UTF-8 rather than `\\u`, which depends on the locale of the shell. */
function escapeCharacter(character: string): string {
  const short = named[character]
  if (short !== undefined) return short
  return [...new TextEncoder().encode(character)]
    .map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
    .join('')
}
