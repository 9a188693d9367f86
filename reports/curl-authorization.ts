import { type Exchange, header } from '../harness/contract/index.ts'
import { shellQuote } from './shell-quote.ts'
import { printable } from './text.ts'

/**
 * The `-H` argument that repeats the credential of an exchange without showing it. Recorded
 * exchanges hold a mark in place of a secret: `[api key]` becomes `$CHATGEN_API_KEY`, a key
 * without its end becomes `${CHATGEN_API_KEY%?}`. A credential without a mark was a wrong one where
 * the request had to be refused; it is named as such, since any wrong one repeats the request.
 */
export function authorizationArgument(exchange: Exchange): string {
  const value = header(exchange.request.headers, 'authorization')
  // An empty value makes curl send no such header, which says more than leaving it out.
  if (value === undefined) return shellQuote('Authorization:')
  const shown = printable(value)
  return marks.test(shown) ? marked(shown) : unmarked(shown, exchange)
}

const marks = /\[([a-z]+(?: [a-z]+)*?)( without its last character)?\]/

function marked(value: string): string {
  const text = `Authorization: ${value}`.replace(/["\\$`]/g, '\\$&')
  const withVariables = text.replaceAll(new RegExp(marks, 'g'), (_, name: string, cut?: string) => {
    const variable = `CHATGEN_${name.toUpperCase().replaceAll(' ', '_')}`
    return cut === undefined ? `\${${variable}}` : `\${${variable}%?}`
  })
  // Braces only where a character follows that would lengthen the name.
  return `"${withVariables.replace(/\$\{(\w+)\}(?!\w)/g, '$$$1')}"`
}

function unmarked(value: string, { labels }: Exchange): string {
  const [scheme, credential] = value.split(/\s+(.*)/, 2)
  const stands = labels.role === 'negative' ? 'a-wrong-key' : '$CHATGEN_API_KEY'
  const text = credential === undefined ? stands : `${scheme} ${stands}`
  return `"Authorization: ${text.replace(/["\\`]/g, '')}"`
}
