import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportToConsole } from '../../reports/console.ts'
import { withoutCommands } from '../../reports/github.ts'
import { reportToJson } from '../../reports/json.ts'
import type { ConformanceReport } from '../../reports/model.ts'
import { exchangesName } from '../conformance/defaults.ts'
import { readExchanges } from './exchanges.ts'
import type { Io } from './io.ts'
import type { NamedFormat } from './report-formats.ts'

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
export function publish(report: ConformanceReport, options: PublishOptions, io: Io): void {
  const { out, json, quiet } = options
  const exchanges = readExchanges(join(out, exchangesName))
  const style = { color: io.color && options.color, width: io.width }
  const formats = options.formats.filter(({ name }) => name !== 'json')

  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'report.json'), reportToJson(report))
  for (const { file, render } of formats) {
    if (file !== null) writeFileSync(join(out, file), render(report, exchanges, style))
  }

  if (json) io.out(reportToJson(report).trimEnd())
  if (quiet && !json) io.out(lastLine(reportToConsole(report, exchanges, style)))
  const isHidden = (name: string) => name === 'console' && (json || quiet)
  for (const { name, render } of formats.filter(({ file, name }) => !file && !isHidden(name))) {
    const text = render(report, exchanges, style).trimEnd()
    // Where GitHub reads along, what a target sent could be taken for a command.
    const isRead = name === 'console' && formats.some((format) => format.name === 'github')
    // Standard output is for the program that asked for JSON.
    ;(json ? io.err : io.out)(isRead ? withoutCommands(text, randomUUID()) : text)
  }
  if (!json && !quiet) io.out(`Results: ${out}`)
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}
