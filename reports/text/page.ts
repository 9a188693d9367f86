import type { ChalkInstance } from 'chalk'
import type { Exchange } from '../../contract/index.ts'
import type {
  ConformanceReport,
  RequirementRow,
  Verdict,
} from '../../contract/report/conformance.ts'
import { indent, printable, withoutColours, wrap } from './escape.ts'

/** What every part of the console report is made from. */
export interface Page {
  readonly report: ConformanceReport
  readonly exchanges: ReadonlyMap<string, Exchange>
  readonly width: number
  readonly chalk: ChalkInstance
}

export type Lines = readonly string[]

export function withVerdict({ report }: Page, verdict: Verdict): readonly RequirementRow[] {
  return report.requirements.filter((row) => row.verdict === verdict)
}

/** Text after a lead, its further lines below the text. */
export function hanging({ width }: Page, lead: string, text: string): Lines {
  const [first = '', ...rest] = wrap(printable(text), width - lead.length)
  return [lead + first, ...indent(rest, lead.length)]
}

/** Text on one line, without colours. */
export function clean(text: string): string {
  return printable(withoutColours(text).trim())
}
