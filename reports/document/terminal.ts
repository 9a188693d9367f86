import { Chalk, type ChalkInstance } from 'chalk'
import { type Fitted, fittedColumns } from '../text/columns.ts'
import { doubtText, isEdited } from '../text/digest.ts'
import { indent, printable, shorten, withoutColours, wrap } from '../text/escape.ts'
import { hanging, joinParts, type Lines, type Page } from '../text/page.ts'
import {
  type Badge,
  type Block,
  type Document,
  type Fact,
  filledSections,
  type Item,
  joined,
  type Outcome,
  type Section,
  type Table,
  type Text,
  type Tone,
} from './document.ts'

export interface TerminalOptions {
  readonly color: boolean
  /** Columns of the terminal. */
  readonly width: number
  /** True to print details as well. */
  readonly verbose?: boolean
}

/** A report for a terminal. The outcome stands first and last. */
export function toTerminal(document: Document, options: TerminalOptions): string {
  const page: Page = { ...options, chalk: new Chalk({ level: options.color ? 1 : 0 }) }
  const outcome = [...editedLines(page, document), ...outcomeLines(page, document.outcome)]
  const parts = [
    [...outcome, ...aboutLines(page, document)],
    ...filledSections(document)
      .filter(({ detail }) => detail !== 'verbose' || options.verbose)
      .map((section) => sectionLines(page, section)),
    outcome,
  ]
  return joinParts(parts)
}

/** The outcome alone, in one line. */
export function outcomeLine(outcome: Outcome, { color }: { readonly color: boolean }): string {
  return `${paintedOutcome(outcome, new Chalk({ level: color ? 1 : 0 }))}  ${outcome.text}`
}

function outcomeLines(page: Page, outcome: Outcome): Lines {
  const lead = `${paintedOutcome(outcome, page.chalk)}  `
  return hanging(page, lead, outcome.text, outcome.word.length + 2)
}

export function paintedOutcome({ word, tone }: Outcome, chalk: ChalkInstance): string {
  return paintOf(tone === 'none' ? 'warn' : tone, chalk.bold)(word.toUpperCase())
}

function paintOf(tone: Tone, chalk: ChalkInstance): (text: string) => string {
  switch (tone) {
    case 'pass':
      return chalk.green
    case 'fail':
      return chalk.red
    case 'none':
      return String
    default:
      return chalk.yellow
  }
}

/** Stands before the outcome, which must not be read without it. */
function editedLines(page: Page, { sealed = {} }: Document): Lines {
  const text = isEdited(sealed) ? doubtText(sealed) : null
  return text === null ? [] : hanging(page, `${page.chalk.red.bold('EDITED')}  `, text, 8)
}

function aboutLines(page: Page, { sealed = {}, remarks = [], facts }: Document): Lines {
  const doubt = isEdited(sealed) ? null : doubtText(sealed)
  return [
    ...(doubt === null ? [] : hanging(page, 'digest: ', doubt)),
    ...remarks.flatMap((text) => wrap(text, page.width).map((line) => page.chalk.yellow(line))),
    ...factLines(page, facts),
  ]
}

function factLines(page: Page, facts: readonly Fact[]): Lines {
  return facts.flatMap(([lead, text]) => hanging(page, printable(lead), plain(text)))
}

function sectionLines(page: Page, { title, badge, blocks, untitled = false }: Section): Lines {
  const inner = { ...page, width: page.width - (untitled ? 0 : 2) }
  const lines = blocks.flatMap((block) => blockLines(inner, block))
  if (untitled || lines.length === 0) return lines
  const word = badge === undefined ? '' : ` ${paintOf(badge.tone, page.chalk)(badge.word)}`
  return [`${page.chalk.bold(printable(title))}${word}`, ...indent(lines, 2)]
}

function blockLines(page: Page, block: Block): Lines {
  if ('text' in block) return wrap(plain(block.text), page.width)
  if ('facts' in block) return factLines(page, block.facts)
  if ('items' in block) return itemLines(page, block.items)
  if ('table' in block) return tableLines(page, block.table)
  if ('log' in block) return block.log.map((line) => shorten(`| ${printable(line)}`, page.width))
  return []
}

function itemLines(page: Page, items: readonly Item[]): Lines {
  return items.flatMap(({ badge, text, notes = [] }) => {
    const word = badge === undefined ? '' : padded(badge)
    const margin = Math.max(2, word.length)
    const lead = badge === undefined ? '' : paintOf(badge.tone, page.chalk)(word)
    return [
      ...hanging(page, lead, plain(text), margin),
      ...notes.flatMap((note) => indent(wrap(plain(note), page.width - margin), margin)),
    ]
  })
}

/** A badge as wide as the longest verdict, or as a number. */
function padded({ word }: Badge): string {
  return /^\d/.test(word) ? `${word.padStart(6)}  ` : `${printable(word).padEnd(9)} `
}

function tableLines(page: Page, { head, rows, spare = [] }: Table): Lines {
  const cells = rows.map((row) =>
    row.map((cell) => printable(typeof cell === 'string' ? cell : cell.short)),
  )
  const { lines, without }: Fitted = fittedColumns([head.map(printable), ...cells], {
    width: page.width,
    spare,
  })
  const omitted = `Omitted for lack of space: ${without.join('; ')} (see the JSON file).`
  return [...lines, ...(without.length === 0 ? [] : wrap(omitted, page.width))]
}

function plain(text: Text): string {
  const prose = (piece: string) => printable(withoutColours(piece))
  return joined(text, { prose, code: prose }).trim()
}
