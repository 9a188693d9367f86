import { mkdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { AddCommand } from '../command.ts'
import { flag, list } from '../flags.ts'
import { render } from '../publish.ts'
import { formatNames, formatsOf } from '../report-formats.ts'
import { lostText, readStored, type StoredReport } from '../stored-report.ts'

interface ReportFlags {
  readonly report: readonly string[]
  readonly out?: string
  readonly color: boolean
}

const examples = `
Examples:
  $ chatgen report chatgen-results
  $ chatgen report chatgen-results --report html,junit
  $ chatgen report monday tuesday --report html --out pages
  $ chatgen report chatgen-results --report markdown --out - >> "$GITHUB_STEP_SUMMARY"

Exit codes:
  0 rendered, whatever the verdicts   2 usage, or a file that is no report`

/** `chatgen report FILE|DIR...`: renders what was stored, in any format. */
export const reportCommand: AddCommand = (program, io) => {
  program
    .command('report')
    .description('render stored results in any format')
    .argument('<result...>', 'folders of results, or report.json files')
    .addOption(
      flag('--report <formats>', `what to print and write: ${formatNames.join(', ')}`)
        .argParser(list)
        .default([], 'console'),
    )
    .addOption(
      flag('--out <dir>', 'folder for what is written; - prints it (default: where the report is)'),
    )
    .addOption(flag('--no-color', 'no colours'))
    .addHelpText('after', examples)
    .action((paths: readonly string[], flags: ReportFlags) => {
      const formats = formatsOf(flags.report.length === 0 ? ['console'] : flags.report)
      const results = paths.map(readStored)
      const folders = foldersFor(results, flags.out)
      const style = { color: io.color && flags.color, width: io.width }
      for (const [at, result] of results.entries()) {
        const lost = lostText(result)
        if (lost !== null) io.err(lost)
        const out = folders[at] ?? null
        if (out !== null) mkdirSync(out, { recursive: true })
        if (results.length > 1) io.out(`${result.file}:`)
        render(result.report, result.exchanges, { formats, out, style, print: io.out })
        for (const { file } of formats) {
          if (file !== null && out !== null) io.out(`Wrote ${join(out, file)}`)
        }
      }
    })
}

/** Of several results each has a folder of its own, named after the one that it came from. */
function foldersFor(results: readonly StoredReport[], out?: string): readonly (string | null)[] {
  if (out === '-') return results.map(() => null)
  if (out === undefined) return results.map(({ dir }) => dir)
  if (results.length === 1) return [out]
  const names = results.map(({ dir }) => basename(resolve(dir)))
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) {
    throw new ConfigurationError([
      `two results come from folders called ${twice}: render them one by one, each with its --out`,
    ])
  }
  return names.map((name) => join(out, name))
}
