import { join } from 'node:path'
import type { LoadReport } from '../../../../contract/report/load.ts'
import { loadOutcome } from '../../../../reports/load/console/console.ts'
import { loadToJson } from '../../../../reports/text/digest.ts'
import { reportName } from '../../../conformance/defaults.ts'
import { makeFolder } from '../../../conformance/recording/result-files.ts'
import { withoutSecrets, withoutWorkflowCommands } from '../../check/publish.ts'
import type { Named, RenderOptions } from '../../check/report-formats.ts'
import { fitted } from '../../terminal/fitted.ts'
import type { Io } from '../../terminal/io.ts'
import type { LoadFormat } from './report-formats.ts'

export interface PublishLoadOptions {
  readonly formats: readonly Named<LoadFormat>[]
  readonly out: string
  readonly style: RenderOptions
  /** Print only `report.json` on standard output. */
  readonly json: boolean
  /** Print the outcome only. */
  readonly quiet: boolean
}

/** Writes the reports that have a file, and prints the others; `report.json` is always written. */
export function publishLoad(found: LoadReport, options: PublishLoadOptions, io: Io): void {
  const report = withoutSecrets(found, io)
  const { out, style, json, quiet } = options
  const text = loadToJson(report)
  makeFolder(out)
  io.write(join(out, reportName), text)
  if (json) io.out(text.trimEnd())
  else if (quiet) io.out(loadOutcome(report, style))
  const formats = options.formats.filter(
    ({ name }) => name !== 'json' && !(name === 'console' && (json || quiet)),
  )
  const { write, env } = io
  renderLoad(report, { formats, out, style, print: json ? io.err : io.out, write, env })
  if (!json && !quiet) io.out(fitted(`Results: ${out}`, io))
}

interface LoadRendering {
  readonly formats: readonly Named<LoadFormat>[]
  /** Folder of formats with a file; null prints everything. */
  readonly out: string | null
  readonly style: RenderOptions
  readonly print: Io['out']
  readonly write: Io['write']
  readonly env: Io['env']
}

/** Writes each format to its file in the folder, and prints those without a file. */
export function renderLoad(
  report: LoadReport,
  { formats, out, style, print, write, env }: LoadRendering,
): void {
  for (const { name, file, render } of formats) {
    const text = render(report, style)
    if (file !== null && out !== null) write(join(out, file), text)
    else print(name === 'console' ? withoutWorkflowCommands(text.trimEnd(), env) : text.trimEnd())
  }
}
