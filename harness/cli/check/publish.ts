import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Exchange } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { outcomeToConsole } from '../../../reports/conformance/console/console.ts'
import { withoutCommands } from '../../../reports/conformance/github.ts'
import { reportToJson, withEvidence } from '../../../reports/text/digest.ts'
import { exchangesName, reportName } from '../../conformance/defaults.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { readRecording } from '../results/exchanges.ts'
import { fileDigest } from '../results/file-digest.ts'
import { fitted } from '../terminal/fitted.ts'
import type { Io } from '../terminal/io.ts'
import type { NamedFormat, RenderOptions } from './report-formats.ts'

export interface PublishOptions {
  readonly formats: readonly NamedFormat[]
  /** The formats are those without `--report`. */
  readonly isDefault: boolean
  /** Folder of the results, with the exchanges of the run in it. */
  readonly out: string
  readonly color: boolean
  /** Print only `report.json` on standard output. */
  readonly json: boolean
  /** Print the outcome only. */
  readonly quiet: boolean
  /** Lists what passed, too. */
  readonly verbose: boolean
}

/**
 * Writes the reports that have a file, and prints the others. `report.json` is always written: all other
 * formats can be rendered from it later.
 */
export function publish(found: ConformanceReport, options: PublishOptions, io: Io): void {
  const { out, json, quiet } = options
  const report = withEvidence(withoutSecrets(found, io), fileDigest(join(out, exchangesName)))
  const { exchanges } = readRecording(join(out, exchangesName))
  const style = { color: io.color && options.color, width: io.width, verbose: options.verbose }
  makeFolder(out)
  const text = reportToJson(report)
  io.write(join(out, reportName), text)

  if (json) io.out(text.trimEnd())
  if (quiet && !json) io.out(outcomeToConsole(report, style))
  const formats = options.formats.filter(
    ({ name }) =>
      name !== 'json' &&
      !(name === 'console' && (json || quiet)) &&
      !(name === 'html' && options.isDefault && report.outcome === 'conforms'),
  )
  // Standard output is for the program that asked for JSON.
  const { write, env } = io
  render(report, exchanges, { formats, out, style, print: json ? io.err : io.out, write, env })
  if (!json && !quiet) io.out(fitted(resultsText(formats, out), io))
}

/** Redacts a report before its digest is computed: redaction afterwards would invalidate the digest. */
export function withoutSecrets<Report>(report: Report, io: Pick<Io, 'clean'>): Report {
  return JSON.parse(io.clean(JSON.stringify(report)))
}

/** The last lines on the screen: the paths of the results and of the page. */
function resultsText(formats: readonly NamedFormat[], out: string): string {
  const page = formats.find(({ name }) => name === 'html')?.file
  return page ? `Results: ${out}\nHTML report: ${join(out, page)}` : `Results: ${out}`
}

interface Rendering {
  readonly formats: readonly NamedFormat[]
  /** Folder of formats with a file; null prints everything. */
  readonly out: string | null
  readonly style: RenderOptions
  readonly print: Io['out']
  readonly write: Io['write']
  readonly env: Io['env']
}

/**
 * Console text without workflow commands: GitHub Actions interprets every line of output that looks like
 * one, and a target could have sent it.
 */
export function withoutWorkflowCommands(text: string, env: Io['env']): string {
  return env['GITHUB_ACTIONS'] === 'true' ? withoutCommands(text, randomUUID()) : text
}

/** Writes each format to its file in the folder, and prints those without a file. */
export function render(
  report: ConformanceReport,
  exchanges: ReadonlyMap<string, Exchange>,
  { formats, out, style, print, write, env }: Rendering,
): void {
  for (const { name, file, render } of formats) {
    const text = render(report, exchanges, style)
    if (file !== null && out !== null) {
      write(join(out, file), text)
      continue
    }
    const isRead = formats.some((format) => format.name === 'github')
    const reader = isRead ? { GITHUB_ACTIONS: 'true' } : env
    print(name === 'console' ? withoutWorkflowCommands(text.trimEnd(), reader) : text.trimEnd())
  }
}
