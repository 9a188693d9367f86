import type { ChalkInstance } from 'chalk'
import { clean, indent, printable, wrap } from './escape.ts'

/** A terminal to write for. */
export interface Page {
  /** Columns of a line. */
  readonly width: number
  readonly chalk: ChalkInstance
}

export type Lines = readonly string[]

/** Text after a lead, continuation lines below the text. `margin`: width of a lead that has colours. */
export function hanging(
  { width }: Pick<Page, 'width'>,
  lead: string,
  text: string,
  margin = lead.length,
): Lines {
  const [first = '', ...rest] = wrap(printable(text), width - margin)
  return [lead + first, ...indent(rest, margin)]
}

/** A title and an entry for each text; nothing without texts. */
export function list(page: Page, title: string, texts: readonly string[]): Lines {
  if (texts.length === 0) return []
  return [page.chalk.bold(title), ...texts.flatMap((text) => hanging(page, '  ', clean(text), 4))]
}
