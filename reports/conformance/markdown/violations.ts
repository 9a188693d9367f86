import { Chalk } from 'chalk'
import type { Exchange } from '../../../contract/index.ts'
import type { RequirementRow } from '../../../contract/report/conformance.ts'
import { standingOf } from '../../catalogue/entries.ts'
import { clean, printable } from '../../text/escape.ts'
import { causeHeading, type Findings, saysTheSame } from '../../text/fold.ts'
import { code, codeBlock, escaped, folded } from '../../text/markdown.ts'
import { statusLine } from '../../text/timeline.ts'
import { exchangeLines, isSequence } from '../console/evidence.ts'

/**
 * Violations of one cause under one another, with their evidence folded. A summary may have a
 * megabyte: where there are very many violations, the evidence of the last is left to the other
 * reports.
 */
export function findingsMarkdown(
  all: readonly Findings[],
  exchanges: ReadonlyMap<string, Exchange>,
): readonly string[] {
  return all.flatMap((findings, at) => {
    const body = at < maxEvidence ? evidence(findings, exchanges) : evidenceElsewhere(findings)
    return [...(at === 0 ? [] : ['']), ...text(findings), '', ...body]
  })
}

const maxEvidence = 40
const width = 100

function text(findings: Findings): readonly string[] {
  const { rows, common } = findings
  const [first] = rows
  if (common === null) return [sentence(first), '', found(first)]
  const cause = causeHeading(findings) ?? ''
  if (common === 'message' && saysTheSame(findings)) {
    return [
      `**${escaped(cause)}:** ${code(clean(first.message ?? ''))}`,
      '',
      ...rows.map((row) => `- ${sentence(row)}`),
    ]
  }
  return [
    `**${escaped(cause)}**`,
    '',
    ...rows.map((row) => `- ${sentence(row)}  \n  ${found(row)}`),
  ]
}

function sentence(row: RequirementRow): string {
  const { id, title, section } = row
  return `**${escaped(id)}** ${escaped(clean(title))} (${standingOf(row)}, section ${escaped(section)})`
}

function found({ message }: RequirementRow): string {
  return message === null ? 'No message was recorded.' : `Found: ${code(clean(message))}`
}

function evidence({ rows }: Findings, exchanges: ReadonlyMap<string, Exchange>): readonly string[] {
  const [first, ...others] = new Set(rows.flatMap((row) => row.exchanges))
  if (first === undefined) return []
  const offending = rows.find((row) => row.exchanges[0] === first)?.event ?? null
  const exchange = exchanges.get(first)
  const options = { chalk: new Chalk({ level: 0 }), width, offending }
  const lines = [
    ...(exchange === undefined ? [missing(first)] : exchangeLines(exchange, options)),
    ...others.flatMap((id) => {
      const other = exchanges.get(id)
      if (other === undefined) return missing(id)
      if (isSequence(rows)) return exchangeLines(other, { ...options, offending: null })
      const { method, url } = other.request
      return `see ${printable(`${id}: ${method} ${url}`)} → ${statusLine(other)}`
    }),
  ]
  return [folded('Evidence', [codeBlock(lines)])]
}

function missing(id: string): string {
  return `${printable(id)} is not among the recorded exchanges`
}

function evidenceElsewhere({ rows }: Findings): readonly string[] {
  const ids = [...new Set(rows.flatMap((row) => row.exchanges))]
  return [`Evidence: see \`exchanges.ndjson\`, ${ids.map(code).join(', ')}`]
}
