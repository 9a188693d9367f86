import type { ChalkInstance } from 'chalk'
import { indent, printable, wrap } from './escape.ts'

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

/** Parts with an empty line between them; those without lines are left out. */
export function joinParts(parts: readonly Lines[]): string {
  const texts = parts.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  return `${texts.join('\n\n')}\n`
}
