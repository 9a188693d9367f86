import { join } from 'node:path'
import type { CapacityReport } from '../../../contract/report/capacity.ts'
import { capacityOutcome } from '../../../reports/capacity/console.ts'
import { capacityToJson } from '../../../reports/text/digest.ts'
import { reportName } from '../../conformance/defaults.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { withoutSecrets, withoutWorkflowCommands } from '../check/publish.ts'
import type { Named, RenderOptions } from '../check/report-formats.ts'
import { fitted } from '../terminal/fitted.ts'
import type { Io } from '../terminal/io.ts'
import type { CapacityFormat } from './report-formats.ts'

export interface PublishCapacityOptions {
  readonly formats: readonly Named<CapacityFormat>[]
  readonly out: string
  readonly style: RenderOptions
  /** Print only `report.json` on standard output. */
  readonly json: boolean
  /** Print the outcome only. */
  readonly quiet: boolean
}

/** Writes the reports that have a file, and prints the others; `report.json` is always written. */
export function publishCapacity(
  found: CapacityReport,
  options: PublishCapacityOptions,
  io: Io,
): void {
  const report = withoutSecrets(found, io)
  const { out, style, json, quiet } = options
  const text = capacityToJson(report)
  makeFolder(out)
  io.write(join(out, reportName), text)
  if (json) io.out(text.trimEnd())
  else if (quiet) io.out(capacityOutcome(report, style))
  const formats = options.formats.filter(
    ({ name }) => name !== 'json' && !(name === 'console' && (json || quiet)),
  )
  renderCapacity(report, { formats, out, style, print: json ? io.err : io.out }, io)
  if (!json && !quiet) io.out(fitted(`Results: ${out}`, io))
}

interface CapacityRendering {
  readonly formats: readonly Named<CapacityFormat>[]
  /** Folder of formats with a file; null prints everything. */
  readonly out: string | null
  readonly style: RenderOptions
  readonly print: Io['out']
}

/** Writes each format to its file in the folder, and prints those without a file. */
export function renderCapacity(
  report: CapacityReport,
  { formats, out, style, print }: CapacityRendering,
  { write, env }: Pick<Io, 'write' | 'env'>,
): void {
  for (const { name, file, render } of formats) {
    const text = render(report, style)
    if (file !== null && out !== null) write(join(out, file), text)
    else print(name === 'console' ? withoutWorkflowCommands(text.trimEnd(), env) : text.trimEnd())
  }
}
