import type { Exchange } from '../../contract/index.ts'
import type { ContainerRow, Digest } from '../../contract/report/common.ts'
import type { Chart } from '../html/markup.ts'
import type { ChatOfRequest } from '../text/curl/chat.ts'
import { printable } from '../text/escape.ts'

/** Content of a report, from which a renderer for each format makes its text. Texts may come from a target. */
export interface Document {
  /** Kind of the report: `Load report`. */
  readonly kind: string
  readonly outcome: Outcome
  /** Report whose digest may raise a doubt, shown before the outcome. */
  readonly sealed?: { readonly digest?: Digest | undefined }
  /** Target, next to the outcome in the title of a page. */
  readonly target: string
  /** Caveats about the whole run, such as an interruption. */
  readonly remarks?: readonly string[]
  /** Headline figures. */
  readonly numbers?: readonly Tile[]
  readonly facts?: readonly Fact[]
  /** Settings of the run: folded on pages, only on demand elsewhere. */
  readonly settings?: readonly Fact[]
  readonly sections: readonly Section[]
}

export interface Badge {
  /** `Violated`. */
  readonly word: string
  readonly tone: Tone
}

export interface Outcome extends Badge {
  /** Caveat that belongs to the word: `except 1 known violation`. */
  readonly reservation?: string
  /** The outcome in one line. */
  readonly text: string
}

/** Color of a word: green, red, yellow, violet, none. */
export type Tone = 'pass' | 'fail' | 'warn' | 'unproven' | 'none'

export interface Tile {
  readonly value: string
  readonly name: string
  readonly tone: Tone
  readonly href?: string
}

/** Prose with code and links. Links work on pages only. */
export type Text = string | readonly (string | { readonly code: string } | Link)[]

export interface Link {
  readonly href: string
  readonly text: string
}

/** A name at the start of a line on a terminal, with its colon or spaces, and its value. */
export type Fact = readonly [lead: string, text: Text]

export interface Section {
  readonly title: string
  readonly badge?: Badge
  /** Reading instructions of a page. */
  readonly note?: string
  /** Line that replaces the section on a terminal, unless details are requested. */
  readonly brief?: Text
  /** The only format that shows it; by default all do. */
  readonly only?: 'pages' | 'terminal'
  /** `folded`: behind its title on pages. `verbose`: on a terminal only on demand as well. */
  readonly detail?: 'folded' | 'verbose'
  /** True if terminals show it without its title. */
  readonly untitled?: boolean
  /** True for figures that do not describe the target. */
  readonly untrusted?: boolean
  /** True if each item is an internal error of chatgen. */
  readonly isInternal?: boolean
  /** Blocks without content are left out, and so are sections without blocks. */
  readonly blocks: readonly Block[]
}

export type Block =
  | { readonly text: Text }
  | { readonly facts: readonly Fact[] }
  | { readonly items: readonly Item[] }
  | { readonly entries: readonly EntryGroup[] }
  | { readonly table: Table }
  | { readonly charts: readonly Chart[] }
  | { readonly log: readonly string[] }

export interface Item {
  readonly badge?: Badge
  readonly text: Text
  readonly notes?: readonly Text[]
  /** Items that share the text above them. */
  readonly items?: readonly Item[]
  /** Exchanges that show it, the most relevant first. A page shows them with the entry instead. */
  readonly evidence?: readonly Shown[]
}

/** An exchange as evidence. */
export interface Shown {
  readonly id: string
  /** Undefined if it is not among the recorded ones. */
  readonly exchange: Exchange | undefined
  /** The chat that its request names, if a command has to create it first. */
  readonly chat: ChatOfRequest | null
  /** Index of the event that shows a violation; null if no single one does. */
  readonly event: number | null
  /** True if it is needed to reproduce the finding. */
  readonly isWhole: boolean
  /** Path of a script that repeats it; null if there is none. */
  readonly script: string | null
}

/** Entries of a page below their own heading. */
export interface EntryGroup {
  readonly title: string
  readonly groups: readonly { readonly title: string; readonly entries: readonly Entry[] }[]
}

/** A verdict on a page that opens to its reasons and evidence, and that filters and links find by its id. */
export interface Entry {
  readonly id: string
  readonly badge: Badge
  readonly title: string
  /** Values by which a page filters: several at once of the first tag, one of each other. */
  readonly tags: readonly Tag[]
  /** True if it is folded by default. */
  readonly isFolded: boolean
  readonly notes: readonly Text[]
  /** Exchanges that show it, and how many of them a page shows. */
  readonly evidence: readonly Shown[]
  readonly maxShown: number
  readonly facts: readonly Fact[]
}

export interface Tag {
  /** `surface`. */
  readonly name: string
  /** `v3`. */
  readonly value: string
  /** `Native v3 surface`. */
  readonly label: string
}

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Columns that a narrow terminal omits, in this order. */
  readonly spare?: readonly string[]
}

/** A terminal has room for the short form only. */
export type Cell = string | { readonly short: string; readonly long: string }

/** Head of a column, and its cell in each row. */
type Column<Row> = readonly [head: string, cell: (row: Row, at: number) => string]

export function tableOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
  return {
    head: columns.map(([head]) => head),
    rows: rows.map((row, at) => columns.map(([, cell]) => cell(row, at))),
  }
}

/** Number of a report in large type; `href` is the filter of a page that shows what was counted. */
export function tile(value: string | number, name: string, tone: Tone = 'none', href = ''): Tile {
  return { value: String(value), name, tone, ...(href && { href }) }
}

/** Facts that have text. */
export function filledFacts(
  facts: readonly (readonly [lead: string, text: Text | null | undefined | false])[],
): readonly Fact[] {
  return facts.flatMap(([lead, text]) => (text ? [[lead, text]] : []))
}

/** Items of plain text. */
export function itemsOf(texts: readonly string[]): Block {
  return { items: texts.map((text) => ({ text })) }
}

export function faultSection(faults: readonly string[]): Section {
  return { title: 'Internal errors of chatgen', isInternal: true, blocks: [itemsOf(faults)] }
}

/** The sections with content, without empty blocks. */
export function filledSections({ sections }: Document): readonly Section[] {
  return sections
    .map((section) => ({ ...section, blocks: section.blocks.filter(isFilled) }))
    .filter(({ blocks }) => blocks.length > 0)
}

function isFilled(block: Block): boolean {
  if ('text' in block) return block.text !== ''
  if ('table' in block) return block.table.rows.length > 0
  return Object.values(block).some((content) => content.length > 0)
}

/** `target` of the lead `target: `. */
export function nameOf([lead]: Fact): string {
  return lead.trim().replace(/:$/, '')
}

/** The pieces of a text, each by the function for its kind. */
export function joined(
  text: Text,
  { prose, code }: { prose: (text: string) => string; code: (text: string) => string },
): string {
  const pieces = typeof text === 'string' ? [text] : text
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return prose(piece)
      return 'code' in piece ? code(piece.code) : prose(piece.text)
    })
    .join('')
}

/** The text without marks. */
export function plainText(text: Text): string {
  return joined(text, { prose: String, code: String })
}

/** The last lines of the container's output; none without a container. */
export function containerSection(container: ContainerRow | undefined): readonly Section[] {
  if (container === undefined) return []
  const title = `Last output of the container of ${container.image}`
  return [{ title, blocks: [{ log: container.log }] }]
}

/** `chat:1.4 (sha256:4f0c…)`, with its service in a Compose file; null without a container. */
export function containerText(container: ContainerRow | undefined): string | null {
  if (container === undefined) return null
  const { image, digest, service } = container
  const name = `${printable(image)} (${printable(digest)})`
  return service === null ? name : `service ${printable(service)}, ${name}`
}
