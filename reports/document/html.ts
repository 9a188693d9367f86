import { hash } from 'node:crypto'
import {
  type Chart,
  chartMarkup,
  chartParts,
  entryScript,
  html,
  Markup,
  style,
  tableMarkup,
} from '../html/markup.ts'
import { isEdited } from '../text/digest.ts'
import {
  type Block,
  type Document,
  filledSections,
  type Item,
  type Section,
  type Tile,
  type Tone,
} from './document.ts'
import { badgeMarkup, doubtMarkup, entriesMarkup, factList, phrases } from './entries.ts'

interface HtmlOptions {
  /** Shows an exchange once, and links to it from other requirements that passed. */
  readonly isCompact?: boolean
}

/** A report as one self-contained page. */
export function toHtml(document: Document, options: HtmlOptions = {}): string {
  const { kind, outcome, target, sealed = {} } = document
  const sections = pageSections(document)
  const isFiltered = sections.some(hasEntries)
  const skipped = sections.find(hasEntries) ?? sections[0]
  const { body, charts } = documentBody(document, options)
  const parts = charts.length === 0 ? null : chartParts(charts)
  const styles = [parts?.style ?? '', style].join('\n')
  const script = [...(parts?.scripts ?? []), ...(isFiltered ? [entryScript] : [])].join('\n')
  // The policy allows only this style and this script, so nothing is fetched, and nothing that a target sent could run
  // even if it were not escaped.
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(styles, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${isEdited(sealed) ? 'EDITED, ' : ''}${outcome.word}: ${kind} of ${target}</title>
<link rel="icon" href="data:,">
<style>${new Markup(styles)}</style>
</head>
<body>
<a class="skip" href="#${idOf(skipped?.title ?? kind)}">To: ${skipped?.title ?? kind}</a>
${body}
${parts?.data ?? null}
<p id="status" class="unseen" role="status"></p>
<script>${new Markup(script)}</script>
</body>
</html>
`
  return page.text
}

/** The page without its frame, and the charts to draw in it. */
export function documentBody(
  document: Document,
  { isCompact = false }: HtmlOptions = {},
): { readonly body: Markup; readonly charts: readonly Chart[] } {
  const sections = pageSections(document)
  const body = html`${overview(document)}
<main>
${sections.map((section) => sectionMarkup(section, isCompact))}</main>`
  const blocks = sections.flatMap((section) => section.blocks)
  return { body, charts: blocks.flatMap((block) => ('charts' in block ? block.charts : [])) }
}

function pageSections(document: Document): readonly Section[] {
  return filledSections(document).filter(({ only }) => only !== 'terminal')
}

/** CSS class of an outcome. */
const classes: Readonly<Record<Tone, string>> = {
  pass: 'met',
  fail: 'missed',
  warn: 'undecided',
  unproven: 'undecided',
  none: 'invalid',
}

function overview({ kind, outcome, sealed = {}, ...document }: Document): Markup {
  const { target, numbers = [], remarks = [], facts = [], settings = [], sections } = document
  const untrusted = sections.some((section) => section.untrusted) ? 'untrusted' : ''
  return html`<header>
<p class="kind">${kind}</p>
${doubtMarkup(sealed)}
<h1><span class="outcome ${classes[outcome.tone]}">${outcome.word}</span> ${outcome.reservation === undefined ? null : html`${outcome.reservation} `}<span class="target">${target}</span></h1>
<ul class="numbers ${untrusted}">
${numbers.map(tileMarkup)}</ul>
<p>${outcome.text}.</p>
${remarks.map((text) => html`<p>${text}.</p>`)}
${factList(facts)}
${settings.length === 0 ? null : html`<details class="facts"><summary>Settings of the run</summary>${factList(settings)}</details>`}
</header>`
}

function tileMarkup({ value, name, tone, href }: Tile): Markup {
  const count = html`<strong>${value}</strong> <span class="of">${name}</span>`
  return html`<li class="${tone}">${href === undefined || value === '0' ? count : html`<a href="${href}">${count}</a>`}</li>
`
}

function sectionMarkup(
  { title, badge, note, detail, untrusted = false, blocks }: Section,
  isCompact: boolean,
): Markup {
  const id = idOf(title)
  const body = html`${note === undefined ? null : html`<p class="found">${note}</p>`}
${blocks.map((block) => blockMarkup(block, title, isCompact))}`
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

function blockMarkup(block: Block, title: string, isCompact: boolean): Markup | null {
  if ('text' in block) return html`<p>${phrases(block.text)}</p>`
  if ('facts' in block) return factList(block.facts)
  if ('items' in block) return html`<ul class="items">${block.items.map(itemMarkup)}</ul>`
  if ('entries' in block) return entriesMarkup(block.entries, isCompact)
  if ('charts' in block) return html`${block.charts.map(chartMarkup)}`
  if ('log' in block) return html`<pre>${block.log.join('\n')}</pre>`
  const { head, rows } = block.table
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : cell.long)))
  return tableMarkup({ head, rows: cells }, title)
}

function itemMarkup({ badge, text, notes = [], items = [] }: Item): Markup {
  return html`<li>${badgeMarkup(badge)} ${phrases(text)}${items.length === 0 ? null : html`<ul>${items.map(itemMarkup)}</ul>`}${notes.map((note) => html`<p class="found">${phrases(note)}</p>`)}</li>
`
}

function hasEntries({ blocks }: Section): boolean {
  return blocks.some((block) => 'entries' in block)
}

/** `failed-requests-title` of `Failed requests`. */
function idOf(title: string): string {
  return `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-title`
}

function policyOf(style: string, script: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function hashOf(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`
}
