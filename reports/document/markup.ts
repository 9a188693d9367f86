import { html, type Markup } from '../html/markup.ts'
import { doubtText, isEdited } from '../text/digest.ts'
import { type Badge, type Document, type Fact, nameOf, type Text } from './document.ts'

/** Pieces of a page. */

/** Stands above the outcome, which must not be read without it; null for an unedited report. */
export function doubtMarkup(report: NonNullable<Document['sealed']>): Markup | null {
  const text = doubtText(report)
  if (text === null) return null
  return html`<p class="doubt" role="alert"><strong>${isEdited(report) ? 'Edited' : 'No digest'}</strong> ${text}.</p>`
}

export function factList(facts: readonly Fact[]): Markup | null {
  if (facts.length === 0) return null
  return html`<dl>${facts.map((fact) => html`<div><dt>${nameOf(fact)}</dt><dd>${phrases(fact[1])}</dd></div>`)}</dl>`
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
