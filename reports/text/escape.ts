import type { ChalkInstance } from 'chalk'

/** Text from outside, made safe for a terminal line. */

/**
 * Replaces control characters with visible escapes, so that nothing a target sent can move the
 * cursor, color the output, change its direction or hide in it: C0 and C1 controls, DEL, line and paragraph
 * separators, direction marks and overrides, zero-width characters, lone surrogates, and noncharacters, which
 * neither HTML nor XML allows.
 */
export function printable(text: string): string {
  return text.replace(unprintable, escapeCharacter)
}

/** Stored JSON: two spaces, a final line feed, and none of the characters that {@link printable} would escape. */
export function jsonText(value: object): string {
  const json = JSON.stringify(value, null, 2).replace(unprintable, (character) =>
    character === '\n' ? character : unitsOf(character),
  )
  return `${json}\n`
}

/** Removes the colors of assertion messages; other control characters stay. */
export function withoutColors(text: string): string {
  return text.replace(colors, '')
}

/** Text on one line, without colors. */
export function clean(text: string): string {
  return printable(withoutColors(text).trim())
}

/** Cuts to at most `width` characters; an ellipsis replaces the rest. Never cuts a surrogate pair. */
export function shorten(text: string, width: number): string {
  if (text.length <= width) return text
  // A character takes two code units at most, so a body of megabytes is not spread whole.
  const characters = [...text.slice(0, 2 * (width + 1))]
  return characters.length <= width
    ? text
    : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`
}

/**
 * Breaks at spaces into lines of at most `width`, never before a %. A longer word is broken after its commas; without
 * enough of them it exceeds the width: a URL or a path stays whole.
 */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  const add = (piece: string, gap: string) => {
    if (line !== '' && line.length + gap.length + piece.length > width) {
      lines.push(line)
      line = piece
    } else {
      line = line === '' ? piece : `${line}${gap}${piece}`
    }
  }
  for (const word of text.split(/ (?!%)/)) {
    const [first = '', ...others] = word.length > width ? word.split(/(?<=,)/) : [word]
    add(first, ' ')
    for (const piece of others) add(piece, '')
  }
  return [...lines, line]
}

export function indent(lines: readonly string[], by: number): readonly string[] {
  return lines.map((line) => (line === '' ? line : ' '.repeat(by) + line))
}

/** Keeps variation selectors (U+FE00 to U+FE0F), which choose between text and emoji style. */
export const unprintable =
  /(?![\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/gu

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how colors begin
const colors = /\u001b\[[\d;]*m/g

export const named: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function escapeCharacter(character: string): string {
  const short = named[character]
  if (short !== undefined) return short
  const code = character.codePointAt(0) ?? 0
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  return code > 0xffff ? `\\u{${code.toString(16)}}` : unitsOf(character)
}

function unitsOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** A terminal to write for. */
export interface Page {
  /** Columns of a line. */
  readonly width: number
  readonly chalk: ChalkInstance
}

export type Lines = readonly string[]

/** Text after a lead, continuation lines below the text. `margin`: width of a lead that has colors. */
export function hanging(
  { width }: Pick<Page, 'width'>,
  lead: string,
  text: string,
  margin = lead.length,
): Lines {
  const [first = '', ...rest] = wrap(printable(text), width - margin)
  return [lead + first, ...indent(rest, margin)]
}

/** Joins parts with an empty line between them; parts without lines are omitted. */
export function joinParts(parts: readonly Lines[]): string {
  const texts = parts.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  return `${texts.join('\n\n')}\n`
}

export type Level = 'error' | 'warning' | 'notice'

/** An annotation as GitHub Actions reads it from the output of a step. */
export function annotation(level: Level, title: string, message: string): string {
  const lines = message.split('\n').map(printable)
  const property = data(printable(title)).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${level} title=${property}::${data(lines.join('\n'))}`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

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
    .replace(/[&<>]/g, (character) => entities[character] ?? '')
}

/** XML parsers turn line ends in attributes into spaces, unless they are references. */
function attribute(value: string | number): string {
  return xmlText(String(value)).replace(/["\n\r\t]/g, (character) => entities[character] ?? '')
}

/** References of XML and HTML for characters that are markup, or that an attribute would lose. */
export const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
}
