import { stableText } from '../../contract/index.ts'
import type { RequirementRow } from '../../contract/report/conformance.ts'

/** Rows that are told together: most often one. */
export interface Findings {
  /** `message`: all were broken by the same; `exchange`: one exchange shows them all. */
  readonly common: 'message' | 'exchange' | null
  /** In the order of the report; never empty. */
  readonly rows: readonly [RequirementRow, ...RequirementRow[]]
}

/**
 * Violations that share a cause, so that one defect is read once. Conservative: rows are told
 * together where the same was found on one surface, or where the very same evidence shows them; each
 * keeps its sentence, and its own message where it has one. Groups come where their first row did.
 */
export function foldFindings(rows: readonly RequirementRow[]): readonly Findings[] {
  const byMessage = groups(rows, messageKey)
  const alone = byMessage.filter(({ length }) => length === 1).flat()
  const byExchange = groups(alone, exchangeKey)
  return [
    ...byMessage.filter(({ length }) => length > 1).map((group) => findings(group, 'message')),
    ...byExchange.map((group) => findings(group, group.length > 1 ? 'exchange' : null)),
  ]
    .flatMap((found) => found ?? [])
    .toSorted((a, b) => rows.indexOf(a.rows[0]) - rows.indexOf(b.rows[0]))
}

/** `5 rows fail because: usage is missing`, `2 rows fail in one exchange`; null for a single row. */
export function causeText({ rows, common }: Findings): string | null {
  if (common === null) return null
  const [{ verdict, message }] = rows
  const broken = `${rows.length} rows ${verdict === 'warn' ? 'warn' : 'fail'}`
  if (common === 'exchange') return `${broken} in one exchange`
  return `${broken} because: ${message?.trim() ?? ''}`
}

/** Whether a group has a message of its own for each row. */
export function saysTheSame({ rows }: Findings): boolean {
  return rows.every(({ message }) => message === rows[0].message)
}

function groups(
  rows: readonly RequirementRow[],
  keyOf: (row: RequirementRow) => string | null,
): readonly (readonly RequirementRow[])[] {
  // What has no key is like nothing else.
  return [...Map.groupBy(rows, (row) => keyOf(row) ?? row).values()]
}

function messageKey({ message, surface, verdict, known }: RequirementRow): string | null {
  return message === null ? null : JSON.stringify([surface, verdict, known, stableText(message)])
}

function exchangeKey({ exchanges, event, verdict, known }: RequirementRow): string | null {
  return exchanges.length === 0 ? null : JSON.stringify([exchanges, event, verdict, known])
}

function findings(
  [first, ...others]: readonly RequirementRow[],
  common: Findings['common'],
): Findings | null {
  return first === undefined ? null : { common, rows: [first, ...others] }
}
