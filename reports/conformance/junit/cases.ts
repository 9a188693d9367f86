import { Chalk } from 'chalk'
import type { Exchange } from '../../../contract/index.ts'
import type {
  BaselineProblem,
  ConformanceReport,
  RequirementRow,
} from '../../../contract/report/conformance.ts'
import { standingOf } from '../../catalog/entries.ts'
import { plainText } from '../../document/document.ts'
import { evidenceLines } from '../../document/evidence.ts'
import { clean, printable } from '../../text/escape.ts'
import { knownText } from '../summary.ts'
import { adviceOn, evidenceOf } from '../violations.ts'
import { verdictLabels } from '../words.ts'

export interface JUnitCase {
  readonly name: string
  /** Total time of its exchanges. */
  readonly timeMs: number
  /** Null if the requirement passed. */
  readonly result: JUnitResult | null
  /** Text for the output of the suite. */
  readonly output: string | null
}

export interface JUnitResult {
  readonly tag: 'failure' | 'error' | 'skipped'
  readonly type: string
  readonly message: string
  readonly text: string
}

export function caseOfRow(
  row: RequirementRow,
  report: ConformanceReport,
  recorded: {
    readonly exchanges: ReadonlyMap<string, Exchange>
    readonly timeOf: (id: string) => number
  },
): JUnitCase {
  const warned = row.verdict === 'warn' && !row.known
  return {
    name: `${row.id} ${row.title}`,
    timeMs: row.exchanges.reduce((sum, id) => sum + recorded.timeOf(id), 0),
    result: resultOf(row, report, recorded.exchanges),
    output: warned ? `warning: ${row.id} ${clean(row.message ?? row.title)}` : null,
  }
}

export function caseOfBaseline({ id, kind, message }: BaselineProblem): JUnitCase {
  return {
    name: `baseline entry of ${id}`,
    timeMs: 0,
    result: { tag: 'failure', type: `baseline: ${kind}`, message: clean(message), text: '' },
    output: null,
  }
}

export function caseOfFault(fault: ConformanceReport['faults'][number]): JUnitCase {
  const text = fault.message.split('\n').map(clean)
  return {
    name: clean(fault.scenario) || 'unnamed',
    timeMs: 0,
    result: { tag: 'error', type: 'internal error', message: text[0] ?? '', text: text.join('\n') },
    output: null,
  }
}

function resultOf(
  row: RequirementRow,
  report: ConformanceReport,
  exchanges: ReadonlyMap<string, Exchange>,
): JUnitResult | null {
  const { verdict } = row
  const message = clean(row.message ?? '')
  if (verdict === 'pass') return null
  if (verdict === 'fail' || verdict === 'warn') {
    if (row.known) {
      return skipped(knownText(report, row.id) ?? 'known', `found: ${message}`)
    }
    // A warning that does not count stands in the output of its suite.
    if (verdict === 'warn' && !report.strict) return null
    const type = verdict === 'fail' ? 'violated' : 'warning, counted as a violation (--strict)'
    return { tag: 'failure', type, message, text: evidence(row, exchanges) }
  }
  if (verdict === 'error') return { tag: 'error', type: 'internal error', message, text: '' }
  return skipped(`${verdictLabels[verdict]}: ${message || 'no scenario tests it'}`, '')
}

function skipped(message: string, text: string): JUnitResult {
  return { tag: 'skipped', type: 'skipped', message: clean(message), text }
}

const width = 120

function evidence(row: RequirementRow, exchanges: ReadonlyMap<string, Exchange>): string {
  return [
    `${row.id} (${standingOf(row)}, section ${row.section}): ${row.title}`,
    `found: ${clean(row.message ?? 'no message')}`,
    ...adviceOn([row]).map((text) => plainText(text)),
    ...(row.scenarios.length === 0 ? [] : [`scenario: ${row.scenarios.map(printable).join(', ')}`]),
    ...evidenceLines(evidenceOf(exchanges, [row]), { chalk: new Chalk({ level: 0 }), width }),
  ].join('\n')
}
