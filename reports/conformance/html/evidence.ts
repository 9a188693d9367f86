import type { Exchange } from '../../../contract/index.ts'
import type { RequirementRow } from '../../../contract/report/conformance.ts'
import { isViolation } from '../../../contract/report/conformance.ts'
import { html, type Markup } from '../../html/markup.ts'
import { count } from '../../text/format.ts'
import { bySeverity } from '../words.ts'
import { exchangeMarkup } from './exchange.ts'

/** Exchanges that are embedded at most. A page is for reading; programs have the files. */
export const evidenceLimits = {
  /** Exchanges of a broken requirement, and of any other. */
  perViolation: 4,
  perOther: 1,
  /** Size of all exchanges together, in bytes of HTML. */
  pageBytes: 8_000_000,
} as const

export interface Evidence {
  /** Exchanges of a requirement, and the ids of those not shown. */
  of(row: RequirementRow): Markup | null
  /** Distinct exchanges shown. */
  readonly count: number
  /** Exchanges omitted because the page is full. */
  readonly left: number
}

/**
 * Selects exchanges by severity: where space is short, passes lose their evidence first. With `isCompact`, an
 * exchange that several of them refer to is shown once.
 */
export function collectEvidence(
  rows: readonly RequirementRow[],
  exchanges: ReadonlyMap<string, Exchange>,
  isCompact = false,
): Evidence {
  const drawn = new Map<string, Markup>()
  /** Requirement at which an exchange is shown first, by exchange. */
  const places = new Map<string, string>()
  const left = new Set<string>()
  let spent = 0

  /** Rendered once for each offending event. */
  function draw(exchange: Exchange, offending: number | null): Markup {
    const key = `${exchange.id}/${offending}`
    const markup = drawn.get(key) ?? exchangeMarkup(exchange, offending)
    drawn.set(key, markup)
    return markup
  }

  function evidenceOf(row: RequirementRow): Markup | null {
    const ids = row.exchanges.slice(
      0,
      isViolation(row) ? evidenceLimits.perViolation : evidenceLimits.perOther,
    )
    const parts = ids.map((id, at) => {
      const exchange = exchanges.get(id)
      if (exchange === undefined) {
        return html`<p><code>${id}</code> is not among the recorded exchanges.</p>`
      }
      if (spent > evidenceLimits.pageBytes) {
        left.add(id)
        return html`<p><code>${id}</code> was omitted to keep this page small.</p>`
      }
      const place = places.get(id)
      if (isCompact && place !== undefined && !isViolation(row)) {
        return html`<p><code>${id}</code> is shown at <a href="#${place}">${place}</a>.</p>`
      }
      const markup = draw(exchange, at === 0 ? row.event : null)
      spent += Buffer.byteLength(markup.text)
      if (place === undefined) places.set(id, row.id)
      return markup
    })
    const more = row.exchanges.slice(ids.length)
    return parts.length === 0 ? null : html`${parts}${moreIds(more)}`
  }

  const ordered = rows.toSorted((a, b) => severityOf(a) - severityOf(b))
  const byRow = new Map(ordered.map((row) => [row.id, evidenceOf(row)]))
  return {
    of: ({ id }) => byRow.get(id) ?? null,
    count: places.size,
    left: [...left].filter((id) => !places.has(id)).length,
  }
}

function severityOf({ verdict }: RequirementRow): number {
  return bySeverity.indexOf(verdict)
}

const maxIds = 20

function moreIds(ids: readonly string[]): Markup | null {
  if (ids.length === 0) return null
  const rest = ids.length - maxIds
  return html`<p class="ids">${count(ids.length, 'more exchange')} in <code>exchanges.ndjson</code>: ${ids.slice(0, maxIds).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}</p>`
}
