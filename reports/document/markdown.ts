import { Chalk } from 'chalk'
import { doubtText, isEdited } from '../text/digest.ts'
import { annotation, clean, printable, withoutColors } from '../text/escape.ts'
import { figureColumns } from '../text/format.ts'
import {
  type Badge,
  type Block,
  type Document,
  type Fact,
  filledSections,
  type Item,
  joined,
  nameOf,
  plainText,
  type Section,
  type Text,
  type Tone,
} from './document.ts'
import { evidenceLines } from './evidence.ts'

/** A report for the summary of a job or a comment of a pull request: details are folded. */
export function toMarkdown(document: Document): string {
  const { outcome, remarks = [], sealed = {}, facts = [], settings = [] } = document
  const { word, reservation } = outcome
  const doubt = doubtText(sealed)
  const parts = [
    `## ${[marks[outcome.tone], word, ...(reservation === undefined ? [] : [escaped(reservation)])].join(' ')}${remarks.map((text) => ` (${escaped(clean(text))})`).join('')}`,
    // Before the outcome; empty for an unedited report.
    doubt === null ? '' : `${isEdited(sealed) ? '❌ **Edited**' : '⚠️'} ${escaped(doubt)}.`,
    escaped(clean(outcome.text)),
    factLines([...facts, ...settings]).join('  \n'),
    ...filledSections(document)
      .filter(({ only }) => only === undefined)
      .map(sectionText),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

const marks: Readonly<Record<Tone, string>> = {
  pass: '✅',
  fail: '❌',
  warn: '⚠️',
  unproven: '⚠️',
  none: '⚠️',
}

function sectionText({ title, badge, note, detail, blocks }: Section): string {
  const texts = [note === undefined ? '' : escaped(note), ...blocks.map(blockText)]
  const body = texts.filter((text) => text !== '').join('\n\n')
  // Charts are for a page with a script.
  if (blocks.every((block) => 'charts' in block)) return ''
  const name = escaped(clean(badge === undefined ? title : `${title}: ${badge.word}`))
  return detail === undefined ? `### ${name}\n\n${body}` : folded(name, body)
}

function blockText(block: Block): string {
  if ('text' in block) return textOf(block.text)
  if ('facts' in block)
    return factLines(block.facts)
      .map((line) => `- ${line}`)
      .join('\n')
  if ('items' in block) return block.items.map((item, at) => itemText(item, at)).join('\n')
  if ('log' in block) return codeBlock(block.log.map(printable))
  if ('charts' in block || 'entries' in block) return ''
  const { head, rows } = block.table
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : cell.long)))
  return table([head, ...cells])
}

function factLines(facts: readonly Fact[]): readonly string[] {
  return facts.map((fact) => `${escaped(clean(nameOf(fact)))}: ${textOf(fact[1])}`)
}

/** Maximum items with evidence: a summary may have a megabyte, and other reports have the rest. */
const maxEvidence = 40
const width = 100

function itemText(
  { badge, text, notes = [], items = [], evidence = [] }: Item,
  at: number,
): string {
  const lines = [badgeText(badge) + textOf(text), ...notes.map(textOf)].join('  \n  ')
  const nested = items.map((item) => `\n  ${itemText(item, 0).replaceAll('\n', '\n  ')}`).join('')
  if (evidence.length === 0) return `- ${lines}${nested}`
  const block = () => codeBlock(evidenceLines(evidence, { chalk: new Chalk({ level: 0 }), width }))
  const details =
    at < maxEvidence
      ? folded('Evidence', block())
      : `Evidence: see \`exchanges.ndjson\`, ${evidence.map(({ id }) => code(id)).join(', ')}`
  return `- ${lines}${nested}\n\n  ${details.replaceAll('\n', '\n  ')}\n`
}

function badgeText(badge: Badge | undefined): string {
  if (badge === undefined) return ''
  const mark = badge.tone === 'none' ? '' : `${marks[badge.tone]} `
  return `${mark}${escaped(clean(badge.word))} `
}

function textOf(text: Text): string {
  if (typeof text === 'string') return escaped(clean(text))
  const prose = (piece: string) => escaped(withoutColors(piece))
  return joined(text, { prose, code: (piece) => code(clean(piece)) })
}

/** Text from outside, made safe for GitHub's Markdown. */

/** Escapes prose: nothing in it is markup, a link, a mention or HTML. */
export function escaped(text: string): string {
  return (
    printable(text)
      .replace(/[\\`*_[\]|~$]|^[#+-]|(?<=^\d+)[.)](?=\s)/g, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // Prevents mentions, references and automatic links.
      .replace(/@|:(?=\/\/)|#(?=\w)|\bGH-(?=\d)|\bwww(?=\.)/gi, '$&<span></span>')
  )
}

/** A code span. */
export function code(text: string): string {
  if (text === '') return ''
  const printed = printable(text)
  const fence = '`'.repeat(maxRunLength(printed) + 1)
  const space = /^`|`$|^ .* $/.test(printed) ? ' ' : ''
  return `${fence}${space}${printed}${space}${fence}`
}

/** A block of code that no line in it can end. */
export function codeBlock(lines: readonly string[]): string {
  const fence = '`'.repeat(Math.max(3, maxRunLength(lines.join('\n')) + 1))
  return [`${fence}text`, ...lines, fence].join('\n')
}

/** Text folded below a title. */
function folded(title: string, body: string): string {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`
}

/** A table of texts, the first row of which is its head: words to the left, figures to the right. */
function table(rows: readonly (readonly string[])[]): string {
  const rule = figureColumns(rows).map((isFigure) => (isFigure ? '---:' : '---'))
  const [head = [], ...others] = rows.map((row) => row.map((text) => escaped(clean(text))))
  return [head, rule, ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function maxRunLength(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}

const levels = {
  pass: 'notice',
  warn: 'warning',
  fail: 'error',
  unproven: 'error',
  none: 'error',
} as const satisfies Record<Tone, string>

/**
 * Annotations as GitHub Actions reads them from the output of a step: the outcome, an error for each item
 * that failed or is undecided and a warning for each doubtful one, without the details.
 */
export function toGitHub({ kind, outcome, sealed = {}, sections }: Document): string {
  const doubt = doubtText(sealed)
  const items = sections
    .filter(({ detail }) => detail !== 'verbose')
    .flatMap(({ blocks }) => blocks.flatMap((block) => ('items' in block ? block.items : [])))
  const lines = [
    ...(doubt === null ? [] : [annotation(isEdited(sealed) ? 'error' : 'warning', kind, doubt)]),
    annotation(levels[outcome.tone], kind, `${outcome.word}: ${clean(outcome.text)}`),
    ...items.flatMap((item) => annotationOf(item)),
  ]
  return `${lines.join('\n')}\n`
}

function annotationOf({ badge, text, notes = [] }: Item): readonly string[] {
  const { tone = 'none', word = '' } = badge ?? {}
  if (tone === 'pass' || tone === 'none') return []
  const message = [text, ...notes].map((part) => clean(plainText(part))).join('\n')
  return [annotation(levels[tone], word, message)]
}
