import { doubtText, isEdited } from '../text/digest.ts'
import { clean, printable, withoutColours } from '../text/escape.ts'
import { code, codeBlock, escaped, folded, section, table } from '../text/markdown.ts'
import {
  type Badge,
  type Block,
  type Document,
  type Fact,
  filledSections,
  type Item,
  joined,
  nameOf,
  type Section,
  type Text,
  type Tone,
} from './document.ts'

/** A report for the summary of a job or a comment of a pull request: details are folded. */
export function toMarkdown(document: Document): string {
  const { outcome, remarks = [], sealed = {}, facts } = document
  const parts = [
    `## ${marks[outcome.tone]} ${outcome.word}${remarks.map((text) => ` (${text})`).join('')}`,
    doubtLine(sealed),
    escaped(clean(outcome.text)),
    factLines(facts).join('  \n'),
    ...filledSections(document).map(sectionText),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** Stands before the outcome; empty for an unedited report. */
export function doubtLine(report: NonNullable<Document['sealed']>): string {
  const text = doubtText(report)
  return text === null ? '' : `${isEdited(report) ? '❌ **Edited**' : '⚠️'} ${escaped(text)}.`
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
  const lines = texts.filter((text) => text !== '').join('\n\n')
  // Charts are for a page with a script.
  if (blocks.every((block) => 'charts' in block)) return ''
  const name = badge === undefined ? title : `${title}: ${badge.word}`
  return detail === undefined
    ? section(escaped(clean(name)), [lines])
    : folded(escaped(clean(name)), [lines])
}

function blockText(block: Block): string {
  if ('text' in block) return textOf(block.text)
  if ('facts' in block)
    return factLines(block.facts)
      .map((line) => `- ${line}`)
      .join('\n')
  if ('items' in block) return block.items.map(itemText).join('\n')
  if ('log' in block) return codeBlock(block.log.map(printable))
  if ('charts' in block) return ''
  const { head, rows } = block.table
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : cell.long)))
  return table([head, ...cells]).join('\n')
}

function factLines(facts: readonly Fact[]): readonly string[] {
  return facts.map((fact) => `${escaped(clean(nameOf(fact)))}: ${textOf(fact[1])}`)
}

function itemText({ badge, text, notes = [] }: Item): string {
  return `- ${[badgeText(badge) + textOf(text), ...notes.map(textOf)].join('  \n  ')}`
}

function badgeText(badge: Badge | undefined): string {
  if (badge === undefined) return ''
  const mark = badge.tone === 'none' ? '' : `${marks[badge.tone]} `
  return `${mark}${escaped(clean(badge.word))} `
}

function textOf(text: Text): string {
  if (typeof text === 'string') return escaped(clean(text))
  const prose = (piece: string) => escaped(withoutColours(piece))
  return joined(text, { prose, code: (piece) => code(clean(piece)) })
}
