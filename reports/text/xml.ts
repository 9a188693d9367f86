import { printable } from './escape.ts'

/** Text and attributes of XML 1.0, with any content. */

export type Attributes = Readonly<Record<string, string | number>>

/** `<name a="1">children</name>`; without children an empty element. */
export function element(name: string, attributes: Attributes, children = ''): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(value)}"`)
  const start = `<${name}${list.join('')}`
  return children === '' ? `${start}/>` : `${start}>${children}</${name}>`
}

/** Text between tags; what XML 1.0 forbids and what no reader sees is shown as an escape such as `\x1b`. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r]+/g, printable)
    .replace(forbidden, escaped)
    .replace(/[&<>]/g, (character) => entities[character] ?? '')
}

/** Readers turn line ends in attributes into spaces, unless they are references. */
function attribute(value: string | number): string {
  return xmlText(String(value)).replace(/["\n\r\t]/g, (character) => entities[character] ?? '')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
}

/** All that is not a Char of XML 1.0 (section 2.2), and what the specification advises against. */
const forbidden =
  /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\u{10000}-\u{10ffff}]/gu

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}
