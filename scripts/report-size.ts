/**
 * Time and size of each report format, for the results of a real run with its exchanges repeated until
 * there are many, each requirement seen in all its repetitions.
 *
 *   node scripts/report-size.ts chatgen-results [--exchanges 5000] [--violated]
 *
 * With --violated every row counts as violated, which is when most evidence is shown. Ends with 1 if
 * a format takes more than 2 s of processor time, or is 10 MB or larger.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Exchange, restoreExchanges } from '../contract/index.ts'
import { type ConformanceReport, conformanceReport } from '../contract/report/conformance.ts'
import { exchangesName, reportName } from '../harness/conformance/defaults.ts'
import { reportToBadge } from '../reports/conformance/badge.ts'
import { conformanceDocument } from '../reports/conformance/document.ts'
import { reportToGitHub } from '../reports/conformance/github.ts'
import { reportToJUnit } from '../reports/conformance/junit/junit.ts'
import { toHtml } from '../reports/document/html.ts'
import { toMarkdown } from '../reports/document/markdown.ts'
import { toTerminal } from '../reports/document/terminal.ts'
import { reportToJson } from '../reports/text/digest.ts'
import { table } from './load/text.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    exchanges: { type: 'string', default: '5000' },
    violated: { type: 'boolean', default: false },
  },
})
const limits = { ms: 2_000, bytes: 10_000_000 }

const [dir = 'chatgen-results'] = positionals
const { value: stored, ms: readMs } = timed(() => ({
  report: conformanceReport.parse(JSON.parse(readFileSync(join(dir, reportName), 'utf8'))),
  exchanges: restoreExchanges(readFileSync(join(dir, exchangesName), 'utf8')).exchanges,
}))
const { report, exchanges } = repeated(stored, Number(values.exchanges))
const formats: Readonly<Record<string, () => string>> = {
  console: () => toTerminal(conformanceDocument(report, exchanges), { color: false, width: 100 }),
  github: () => reportToGitHub(report),
  json: () => reportToJson(report),
  junit: () => reportToJUnit(report, exchanges),
  html: () => toHtml(conformanceDocument(report, exchanges)),
  markdown: () => toMarkdown(conformanceDocument(report, exchanges)),
  badge: () => reportToBadge(report),
}
const rows = Object.entries(formats).map(([name, render]) => {
  const { value, ms } = timed(render)
  return { name, ms, bytes: Buffer.byteLength(value) }
})

console.log(
  `${dir}: ${stored.exchanges.length} exchanges, read in ${readMs.toFixed(0)} ms; repeated to ${exchanges.size}${values.violated ? ', every row violated' : ''}\n`,
)
console.log(
  table(
    ['format', 'CPU ms', 'MB'],
    rows.map(({ name, ms, bytes }) => [name, ms.toFixed(0), (bytes / 1e6).toFixed(3)]),
  ),
)
process.exitCode = rows.some(({ ms, bytes }) => ms > limits.ms || bytes >= limits.bytes) ? 1 : 0

function repeated(
  { report, exchanges }: { report: ConformanceReport; exchanges: readonly Exchange[] },
  count: number,
) {
  const times = Math.ceil(count / Math.max(1, exchanges.length))
  const copies = (id: string) => Array.from({ length: times }, (_, at) => `${id}-${at + 1}`)
  const all = exchanges.flatMap((exchange) =>
    copies(exchange.id).map((id) => [id, { ...exchange, id }] as const),
  )
  const requirements = report.requirements.map((row) => ({
    ...row,
    exchanges: row.exchanges.flatMap(copies),
    ...(values.violated ? { verdict: 'fail' as const, message: row.message ?? row.title } : {}),
  }))
  return { report: { ...report, requirements }, exchanges: new Map(all.slice(0, count)) }
}

/** Measures the CPU time of this thread, so that a busy machine makes no difference. */
function timed<T>(work: () => T): { readonly value: T; readonly ms: number } {
  const before = process.threadCpuUsage()
  const value = work()
  const { user, system } = process.threadCpuUsage(before)
  return { value, ms: (user + system) / 1000 }
}
