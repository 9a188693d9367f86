import { Chalk, type ChalkInstance } from 'chalk'
import { doubtText, isEdited } from '../text/digest.ts'
import {
  hanging,
  indent,
  joinParts,
  type Lines,
  type Page,
  printable,
  shorten,
  withoutColors,
  wrap,
} from '../text/escape.ts'
import { type Fitted, fittedColumns } from '../text/format.ts'
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
import { briefEvidence, evidenceLines } from './evidence.ts'

export interface TerminalOptions {
  readonly color: boolean
  /** Columns of the terminal. */
  readonly width: number
  /** True to print details as well. */
  readonly verbose?: boolean
}

interface Screen extends Page {
  readonly verbose: boolean
  /** Columns of the terminal, of which `width` remain beside the margin. */
  readonly columns: number
}

/**
 * A report for a terminal. The outcome is first and last; less urgent sections have one line, unless
 * `verbose`.
 */
export function toTerminal(document: Document, options: TerminalOptions): string {
  const { color, verbose = false } = options
  const page: Screen = {
    ...options,
    verbose,
    columns: options.width,
    chalk: new Chalk({ level: color ? 1 : 0 }),
  }
  const { sealed = {} } = document
  // The outcome must not be read without this warning.
  const edited = isEdited(sealed) ? doubtText(sealed) : null
  const warning = edited && hanging(page, `${page.chalk.red.bold('EDITED')}  `, edited, 8)
  const outcome = [...(warning ?? []), ...outcomeLines(page, document.outcome)]
  const sections = filledSections(document).filter(({ only }) => only !== 'pages')
  const isBrief = ({ brief }: Section) => brief !== undefined && !verbose
  const parts = [
    [...outcome, ...aboutLines(page, document)],
    ...sections
      .filter((section) => !isBrief(section) && (section.detail !== 'verbose' || verbose))
      .map((section) => sectionLines(page, section)),
    sections
      .filter(isBrief)
      .flatMap(({ title, brief = '' }) => factLines(page, [[`${title.toLowerCase()}: `, brief]])),
    outcome,
  ]
  return joinParts(parts)
}

/** The outcome alone, in one line. */
export function outcomeLine(outcome: Outcome, { color }: { readonly color: boolean }): string {
  const { lead } = painted(outcome, new Chalk({ level: color ? 1 : 0 }))
  return `${lead}${outcome.text}`
}

function outcomeLines(page: Page, outcome: Outcome): Lines {
  const { reservation, ...plain } = outcome
  const { lead, length } = painted(outcome, page.chalk)
  if (reservation === undefined || length < page.width * mayLead) {
    return hanging(page, lead, outcome.text, length)
  }
  const short = painted(plain, page.chalk)
  return hanging(page, short.lead, `${reservation}: ${outcome.text}`, short.length)
}

/** Share of a line that an outcome may have beside its text; a longer one is wrapped with it. */
const mayLead = 0.75

/** The outcome at the start of a line, and its length without colors. */
function painted({ word, reservation, tone }: Outcome, chalk: ChalkInstance) {
  const more = reservation === undefined ? '' : ` ${printable(reservation)}`
  const paint = paintOf(tone === 'none' ? 'warn' : tone, chalk.bold)
  return {
    lead: `${paint(word.toUpperCase())}${more}  `,
    length: word.length + more.length + 2,
  }
}

const colors = { pass: 'green', fail: 'red', warn: 'yellow', unproven: 'yellow' } as const

function paintOf(tone: Tone, chalk: ChalkInstance): (text: string) => string {
  return tone === 'none' ? String : chalk[colors[tone]]
}

function aboutLines(page: Screen, document: Document): Lines {
  const { sealed = {}, remarks = [], facts = [], settings = [] } = document
  const doubt = isEdited(sealed) ? null : doubtText(sealed)
  return [
    ...(doubt === null ? [] : hanging(page, 'digest: ', doubt)),
    ...remarks.flatMap((text) => wrap(text, page.width).map((line) => page.chalk.yellow(line))),
    ...factLines(page, facts),
    ...(page.verbose ? factLines(page, settings) : []),
  ]
}

function factLines(page: Page, facts: readonly Fact[]): Lines {
  return facts.flatMap(([lead, text]) => hanging(page, printable(lead), plain(text)))
}

function sectionLines(page: Screen, { title, badge, blocks, untitled = false }: Section): Lines {
  const inner = { ...page, width: page.width - (untitled ? 0 : 2) }
  const lines = blocks.flatMap((block) => blockLines(inner, block))
  if (untitled || lines.length === 0) return lines
  const word = badge === undefined ? '' : ` ${paintOf(badge.tone, page.chalk)(badge.word)}`
  return [`${page.chalk.bold(printable(title))}${word}`, ...indent(lines, 2)]
}

function blockLines(page: Screen, block: Block): Lines {
  if ('text' in block) return wrap(plain(block.text), page.width)
  if ('facts' in block) return factLines(page, block.facts)
  if ('items' in block) return itemLines(page, block.items)
  if ('table' in block) return tableLines(page, block.table)
  if ('log' in block) return block.log.map((line) => shorten(`| ${printable(line)}`, page.width))
  return []
}

/** Items with evidence have an empty line between them. */
function itemLines(page: Screen, items: readonly Item[], inherited?: number): Lines {
  const parts = items.map((item) => linesOfItem(page, item, inherited))
  if (items.every(({ evidence }) => evidence === undefined)) return parts.flat()
  return parts.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))
}

/** Maximum of rows of an item with evidence, for each of the items in it. */
const maxRows = 12

interface Brevity {
  /** Lines of a text. */
  readonly max: number
  /** Lines of the last note. */
  readonly last: number
  readonly isScript: boolean
}

/** Layouts in the order of preference. */
const brevities: readonly Brevity[] = [
  { max: 2, last: 2, isScript: false },
  { max: 2, last: 1, isScript: false },
  { max: 2, last: 2, isScript: true },
  { max: 2, last: 1, isScript: true },
  { max: 1, last: 1, isScript: true },
]

function linesOfItem(page: Screen, item: Item, inherited?: number): Lines {
  if (page.verbose || item.evidence === undefined) {
    const max = inherited ?? Number.POSITIVE_INFINITY
    return laidOut(page, item, { max, last: max, isScript: false })
  }
  const rows = maxRows * Math.max(1, item.items?.length ?? 0)
  const layouts = brevities.map((brevity) => laidOut(page, item, brevity))
  return layouts.find((lines) => rowsOf(lines, page) <= rows) ?? layouts.at(-1) ?? []
}

/** Rows of a terminal that lines in a margin take. */
function rowsOf(lines: Lines, { columns, width }: Screen): number {
  const lengths = lines.map((line) => columns - width + withoutColors(line).length)
  return lengths.reduce((rows, length) => rows + Math.ceil(length / columns), 0)
}

function laidOut(
  page: Screen,
  { badge, text, notes = [], items = [], evidence = [] }: Item,
  brevity: Brevity,
): Lines {
  const word = badge === undefined ? '' : padded(badge)
  const margin = Math.max(2, word.length)
  const lead = badge === undefined ? '' : paintOf(badge.tone, page.chalk)(word)
  const inner = { ...page, width: page.width - margin }
  const wrapped = (one: Text, max: number) =>
    clipped(wrap(plain(one), inner.width), max, inner.width)
  const [first = '', ...rest] = wrapped(text, brevity.max)
  return [
    lead + first,
    ...indent(
      [
        ...rest,
        ...itemLines(inner, items, brevity.max),
        ...notes.flatMap((note, at) =>
          wrapped(note, at < notes.length - 1 ? brevity.max : brevity.last),
        ),
        ...(page.verbose
          ? evidenceLines(evidence, inner)
          : briefEvidence(evidence, { ...inner, ...brevity })),
      ],
      margin,
    ),
  ]
}

/** The first lines; an ellipsis at the end of the last shows that there were more. */
function clipped(lines: Lines, max: number, width: number): Lines {
  if (lines.length <= max) return lines
  return [...lines.slice(0, max - 1), shorten(lines.slice(max - 1).join(' '), width)]
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
  const prose = (piece: string) => printable(withoutColors(piece))
  return joined(text, { prose, code: prose }).trim()
}
