import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Exchange } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { outcomeToConsole } from '../../../reports/conformance/console/console.ts'
import { withoutCommands } from '../../../reports/conformance/github.ts'
import { reportToJson, withEvidence } from '../../../reports/text/digest.ts'
import { exchangesName, reportName } from '../../conformance/defaults.ts'
import { makeFolder } from '../../conformance/recording/make-folder.ts'
import { readRecording } from '../results/exchanges.ts'
import { fileDigest } from '../results/file-digest.ts'
import { fitted } from '../terminal/fitted.ts'
import type { Io } from '../terminal/io.ts'
import type { NamedFormat, RenderOptions } from './report-formats.ts'

export interface PublishOptions {
  readonly formats: readonly NamedFormat[]
  /** Folder of the results, with the exchanges of the run in it. */
  readonly out: string
  readonly color: boolean
  /** `report.json` on standard output, and nothing else. */
  readonly json: boolean
  /** The outcome alone. */
  readonly quiet: boolean
}

/**
 * Writes the reports that have a file, and prints the others. `report.json` is always written: what
 * was not asked for can be rendered from it later.
 */
export function publish(found: ConformanceReport, options: PublishOptions, io: Io): void {
  const { out, json, quiet } = options
  const report = withEvidence(withoutSecrets(found, io), fileDigest(join(out, exchangesName)))
  const { exchanges } = readRecording(join(out, exchangesName))
  const style = { color: io.color && options.color, width: io.width }
  makeFolder(out)
  const text = reportToJson(report)
  io.write(join(out, reportName), text)

  if (json) io.out(text.trimEnd())
  if (quiet && !json) io.out(outcomeToConsole(report, style))
  const formats = options.formats.filter(
    ({ name }) => name !== 'json' && !(name === 'console' && (json || quiet)),
  )
  // Standard output is for the program that asked for JSON.
  const { write, env } = io
  render(report, exchanges, { formats, out, style, print: json ? io.err : io.out, write, env })
  if (!json && !quiet) io.out(fitted(whereToRead(report, options), io))
}

/** Before the digest of the report is made, which would not fit what the funnel changes after it. */
export function withoutSecrets<Report>(report: Report, io: Pick<Io, 'clean'>): Report {
  return JSON.parse(io.clean(JSON.stringify(report)))
}

/** The last words: they are what is on the screen when the run is over. */
function whereToRead({ outcome }: ConformanceReport, { formats, out }: PublishOptions): string {
  const page = formats.find(({ name }) => name === 'html')?.file
  if (page) return `Results: ${out}\nAll evidence in one page: ${join(out, page)}`
  const console = formats.some(({ name }) => name === 'console')
  if (outcome === 'conforms' || !console) return `Results: ${out}`
  return `Results: ${out}\nAll evidence in one page: chatgen report ${out} --report html`
}

interface Rendering {
  readonly formats: readonly NamedFormat[]
  /** Folder for what has a file; null prints everything. */
  readonly out: string | null
  readonly style: RenderOptions
  readonly print: Io['out']
  readonly write: Io['write']
  readonly env: Io['env']
}

/**
 * Text for a terminal, of which no line is taken for a command where GitHub Actions reads along: it reads
 * the output of every step.
 */
export function unread(text: string, env: Io['env']): string {
  return env['GITHUB_ACTIONS'] === 'true' ? withoutCommands(text, randomUUID()) : text
}

/** Each format to its file in the folder, or printed where it has none. */
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
    print(name === 'console' ? unread(text.trimEnd(), reader) : text.trimEnd())
  }
}
