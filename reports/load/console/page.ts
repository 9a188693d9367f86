import type { ChalkInstance } from 'chalk'
import { indent, printable, wrap } from '../../text/escape.ts'
import { clean } from '../../text/page.ts'

export interface LoadConsoleOptions {
  readonly color: boolean
  /** Columns of the terminal. */
  readonly width: number
  /** Also what each transaction measured, and the same run as other tools define it. */
  readonly verbose?: boolean
}

/** What every part of the console report of a load is made from. */
export interface Page extends LoadConsoleOptions {
  readonly chalk: ChalkInstance
}

export type Lines = readonly string[]

export function list(page: Page, title: string, texts: readonly string[]): Lines {
  if (texts.length === 0) return []
  return [page.chalk.bold(title), ...texts.flatMap((text) => hanging(page, '  ', clean(text), 4))]
}

/** Text after a lead, its further lines below it; a painted lead is wider than it looks. */
export function hanging(page: Page, lead: string, text: string, margin = lead.length): Lines {
  const [first = '', ...rest] = wrap(printable(text), page.width - margin)
  return [lead + first, ...indent(rest, margin)]
}
