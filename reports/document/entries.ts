import { html, type Markup } from '../html/markup.ts'
import { doubtText, isEdited } from '../text/digest.ts'
import { count } from '../text/format.ts'
import {
  type Badge,
  type Document,
  type Entry,
  type EntryGroup,
  type Fact,
  nameOf,
  type Shown,
  type Tag,
  type Text,
  type Tone,
} from './document.ts'
import { exchangeMarkup } from './exchange.ts'

/** Maximum size of all exchanges on a page, in bytes of HTML. Programs read the files instead. */
const maxEvidenceBytes = 8_000_000

/** Entries of a page with a filter form. `isCompact`: an exchange is shown once, and linked from passed entries. */
export function entriesMarkup(groups: readonly EntryGroup[], isCompact: boolean): Markup {
  const entries = groups.flatMap(({ groups }) => groups.flatMap(({ entries }) => entries))
  const { markups, left } = collectEvidence(entries, isCompact)
  return html`${filters(entries)}
${groups.map(
  ({ title, groups }) => html`<section class="surface" aria-label="${title}">
<h3>${title}</h3>
${groups.map((group) => groupMarkup(group, markups))}
</section>
`,
)}
${entries.every(({ evidence }) => evidence.length === 0) ? null : leftOut(left)}`
}

function leftOut(number: number): Markup {
  const omitted = `${count(number, 'exchange')} of these requirements ${number === 1 ? 'was' : 'were'} omitted to keep this page small; `
  return html`<p class="ids">${number === 0 ? 'Bodies' : `${omitted}bodies`} are cut, long streams folded. <code>exchanges.ndjson</code> has everything byte for byte with arrival times; keys are redacted. Times are relative to the first byte of the request.</p>`
}

/** Folded entries follow the others, which are of more interest. */
function groupMarkup({ title, entries }: EntryGroup['groups'][number], markups: Markups): Markup {
  const folded = entries.filter(({ isFolded }) => isFolded)
  const others = entries.filter(({ isFolded }) => !isFolded)
  return html`<div class="section">
<h4>${title}</h4>
${others.map((entry) => entryMarkup(entry, markups))}${
  folded.length === 0
    ? null
    : html`<details class="passes"><summary><span class="count">${folded.length}</span> ${folded[0]?.badge.word ?? ''}</summary>
${folded.map((entry) => entryMarkup(entry, markups))}</details>
`
}</div>
`
}

function entryMarkup(entry: Entry, markups: Markups): Markup {
  const { id, badge, title, tags, notes, facts } = entry
  return html`<details class="row" id="${id}"${tags.map(({ name, value }) => html` data-${name}="${value}"`)}>
<summary>${badgeMarkup(badge)} <code>${id}</code> <span class="sentence">${title}</span></summary>
<div class="opened">
${notes.map((note, at) => html`<p class="${at === 0 ? 'message' : 'hint'}">${phrases(note)}</p>`)}
${markups.get(id) ?? null}
${factList(facts)}
</div>
</details>
`
}

/** Hidden until the script runs that makes them work. */
function filters(entries: readonly Entry[]): Markup {
  const [first, ...others] = entries[0]?.tags.map(({ name }) => name) ?? []
  const all = `${entries.length} of ${entries.length} requirements`
  return html`<form class="filters" id="filters" role="search" aria-label="Requirements" hidden>
<fieldset><legend>Verdict</legend>
${valuesOf(bySeverity(entries), first).map(
  ({ name, value, label, times }) =>
    html`<label class="chip"><input type="checkbox" name="${name}" value="${value}" checked> ${label} <span class="count">${times}</span></label>
`,
)}</fieldset>
<div class="fields">
${others.map(
  (name) =>
    html`<label>${name} <select name="${name}"><option value="">all</option>${valuesOf(entries, name).map(({ value, label }) => html`<option value="${value}">${label}</option>`)}</select></label>
`,
)}<label class="wide">search <input type="search" name="search" placeholder="id, sentence, message"></label>
</div>
<p class="tools"><span id="shown">${all}</span>
<button type="button" id="open-all">Open all shown</button>
<button type="button" id="close-all">Close all</button>
<button type="reset">Reset</button></p>
<p class="keys"><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next, previous <kbd>n</kbd> next violation</p>
</form>
<p id="none" hidden>No matching requirements.</p>`
}

/** Distinct values of a tag, in their order, each with its number of entries. */
function valuesOf(entries: readonly Entry[], name: string | undefined) {
  const found = new Map<string, Tag & { times: number }>()
  for (const tag of entries.flatMap(({ tags }) => tags.filter((one) => one.name === name))) {
    const { times } = found.get(tag.value) ?? { times: 0 }
    found.set(tag.value, { ...tag, times: times + 1 })
  }
  return [...found.values()]
}

const severities: readonly Tone[] = ['fail', 'warn', 'unproven', 'pass', 'none']

function bySeverity(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted(
    (a, b) => severities.indexOf(a.badge.tone) - severities.indexOf(b.badge.tone),
  )
}

/** Exchanges of each entry, by its id. */
type Markups = ReadonlyMap<string, Markup | null>

/**
 * Selects exchanges by severity: if space is short, passes lose their evidence first. `left`: the number of those
 * that are omitted because the page is full.
 */
function collectEvidence(entries: readonly Entry[], isCompact: boolean) {
  const drawn = new Map<string, Markup>()
  /** Entry at which an exchange is shown first, by exchange. */
  const places = new Map<string, string>()
  const left = new Set<string>()
  let spent = 0

  function shownMarkup(evidence: Shown, entry: Entry): Markup {
    const { id, exchange, event } = evidence
    if (exchange === undefined) {
      return html`<p><code>${id}</code> is not among the recorded exchanges.</p>`
    }
    if (spent > maxEvidenceBytes) {
      left.add(id)
      return html`<p><code>${id}</code> was omitted to keep this page small.</p>`
    }
    const place = places.get(id)
    if (isCompact && place !== undefined && entry.isFolded) {
      return html`<p><code>${id}</code> is shown at <a href="#${place}">${place}</a>.</p>`
    }
    // Rendered once for each event that it shows.
    const key = `${id}/${event}`
    const markup = drawn.get(key) ?? exchangeMarkup(exchange, evidence)
    drawn.set(key, markup)
    spent += Buffer.byteLength(markup.text)
    if (place === undefined) places.set(id, entry.id)
    return markup
  }

  const markups: Markups = new Map(
    bySeverity(entries).map((entry) => {
      const parts = entry.evidence
        .slice(0, entry.maxShown)
        .map((exchange) => shownMarkup(exchange, entry))
      const more = entry.evidence.slice(entry.maxShown).map(({ id }) => id)
      return [entry.id, parts.length === 0 ? null : html`${parts}${moreIds(more)}`]
    }),
  )
  return { markups, left: [...left].filter((id) => !places.has(id)).length }
}

const maxIds = 20

function moreIds(ids: readonly string[]): Markup | null {
  if (ids.length === 0) return null
  const rest = ids.length - maxIds
  return html`<p class="ids">${count(ids.length, 'more exchange')} in <code>exchanges.ndjson</code>: ${ids.slice(0, maxIds).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}</p>`
}

/** Warning above the outcome, which must not be read without it; null for an unedited report. */
export function doubtMarkup(report: NonNullable<Document['sealed']>): Markup | null {
  const text = doubtText(report)
  if (text === null) return null
  return html`<p class="doubt" role="alert"><strong>${isEdited(report) ? 'Edited' : 'No digest'}</strong> ${text}.</p>`
}

export function factList(facts: readonly Fact[]): Markup | null {
  if (facts.length === 0) return null
  const named = [...Map.groupBy(facts, nameOf)]
  return html`<dl>${named.map(([name, same]) => html`<div><dt>${name}</dt>${same.map((fact) => html`<dd>${phrases(fact[1])}</dd>`)}</div>`)}</dl>`
}

export function badgeMarkup(badge: Badge | undefined): Markup | null {
  return badge === undefined ? null : html`<span class="badge ${badge.tone}">${badge.word}</span>`
}

export function phrases(text: Text): Markup {
  const pieces = typeof text === 'string' ? [text] : text
  return html`${pieces.map((piece) => {
    if (typeof piece === 'string') return piece
    return 'code' in piece
      ? html`<code>${piece.code}</code>`
      : html`<a href="${piece.href}">${piece.text}</a>`
  })}`
}
