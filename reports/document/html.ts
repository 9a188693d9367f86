import { type Chart, chartMarkup } from '../html/charts/chart.ts'
import { chartPage } from '../html/charts/page.ts'
import { html, type Markup, tableMarkup } from '../html/markup.ts'
import { doubtText, isEdited } from '../text/digest.ts'
import {
  type Badge,
  type Block,
  type Document,
  type Fact,
  filledSections,
  type Item,
  nameOf,
  type Section,
  type Text,
  type Tile,
  type Tone,
} from './document.ts'

/** A report as one self-contained page. */
export function toHtml(document: Document): string {
  const { kind, outcome, target, sealed = {} } = document
  const [first] = filledSections(document)
  const { body, charts } = documentBody(document)
  return chartPage(
    {
      title: `${isEdited(sealed) ? 'EDITED, ' : ''}${outcome.word}: ${kind} of ${target}`,
      skip: { to: idOf(first?.title ?? kind), text: `To: ${first?.title ?? kind}` },
      body,
    },
    charts,
  )
}

/** The page without its frame, and the charts to draw in it. */
export function documentBody(document: Document): {
  readonly body: Markup
  readonly charts: readonly Chart[]
} {
  const sections = filledSections(document)
  const body = html`${overview(document)}
<main>
${sections.map(sectionMarkup)}</main>`
  return { body, charts: sections.flatMap(chartsIn) }
}

/** Stands above the outcome, which must not be read without it; null for an unedited report. */
export function doubtMarkup(report: NonNullable<Document['sealed']>): Markup | null {
  const text = doubtText(report)
  if (text === null) return null
  return html`<p class="doubt" role="alert"><strong>${isEdited(report) ? 'Edited' : 'No digest'}</strong> ${text}.</p>`
}

/** Class of an outcome. */
const classes: Readonly<Record<Tone, string>> = {
  pass: 'met',
  fail: 'missed',
  warn: 'undecided',
  unproven: 'undecided',
  none: 'invalid',
}

function overview({ kind, outcome, sealed = {}, ...document }: Document): Markup {
  const { target, numbers, remarks = [], facts, sections } = document
  const untrusted = sections.some((section) => section.untrusted) ? 'untrusted' : ''
  return html`<header>
<p class="kind">${kind}</p>
${doubtMarkup(sealed)}
<h1><span class="outcome ${classes[outcome.tone]}">${outcome.word}</span> <span class="target">${target}</span></h1>
<ul class="numbers ${untrusted}">
${numbers.map(tileMarkup)}</ul>
<p>${outcome.text}.</p>
${remarks.map((text) => html`<p>${text}.</p>`)}
${factList(facts)}
</header>`
}

function tileMarkup({ value, name, tone = 'none' }: Tile): Markup {
  return html`<li class="${tone}"><strong>${value}</strong> <span class="of">${name}</span></li>
`
}

function factList(facts: readonly Fact[]): Markup | null {
  if (facts.length === 0) return null
  return html`<dl>${facts.map((fact) => html`<div><dt>${nameOf(fact)}</dt><dd>${phrases(fact[1])}</dd></div>`)}</dl>`
}

function sectionMarkup({ title, badge, note, detail, untrusted = false, blocks }: Section): Markup {
  const id = idOf(title)
  const body = html`${note === undefined ? null : html`<p class="found">${note}</p>`}
${blocks.map((block) => blockMarkup(block, title))}`
  if (detail !== undefined) {
    return html`<details><summary>${title}</summary>
${body}</details>
`
  }
  return html`<section aria-labelledby="${id}" class="${untrusted ? 'untrusted' : ''}">
<h2 id="${id}" tabindex="-1">${title} ${badgeMarkup(badge)}</h2>
${body}</section>
`
}

function blockMarkup(block: Block, title: string): Markup | null {
  if ('text' in block) return html`<p>${phrases(block.text)}</p>`
  if ('facts' in block) return factList(block.facts)
  if ('items' in block) return html`<ul class="violations">${block.items.map(itemMarkup)}</ul>`
  if ('charts' in block) return html`${block.charts.map(chartMarkup)}`
  if ('log' in block) return html`<pre>${block.log.join('\n')}</pre>`
  const { head, rows } = block.table
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : cell.long)))
  return tableMarkup({ head, rows: cells }, title)
}

function itemMarkup({ badge, text, notes = [], link }: Item): Markup {
  return html`<li>${badgeMarkup(badge)} ${phrases(text)} ${link === undefined ? null : html`<a href="${link.href}">${link.text}</a>`}${notes.map((note) => html`<p class="found">${phrases(note)}</p>`)}</li>
`
}

function badgeMarkup(badge: Badge | undefined): Markup | null {
  return badge === undefined ? null : html`<span class="badge ${badge.tone}">${badge.word}</span>`
}

function phrases(text: Text): Markup {
  const pieces = typeof text === 'string' ? [text] : text
  return html`${pieces.map((piece) => (typeof piece === 'string' ? piece : html`<code>${piece.code}</code>`))}`
}

function chartsIn({ blocks }: Section): readonly Chart[] {
  return blocks.flatMap((block) => ('charts' in block ? block.charts : []))
}

/** `failed-requests-title` of `Failed requests`. */
function idOf(title: string): string {
  return `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-title`
}
