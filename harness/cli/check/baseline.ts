import { existsSync } from 'node:fs'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { applyBaseline, updateBaseline } from '../../conformance/baseline/compare.ts'
import {
  type Baseline,
  baselineText,
  loadBaseline,
  toBeWritten,
} from '../../conformance/baseline/file.ts'
import { ConfigurationError, refusing } from '../../conformance/errors.ts'
import { inputText } from '../input-text.ts'
import type { Io } from '../terminal/io.ts'

/**
 * Opens the baseline of the command line, before anything is sent.
 * @throws ConfigurationError if the file cannot be read or is invalid
 */
export function openBaseline(
  flags: { readonly baseline?: string | undefined; readonly updateBaseline?: boolean },
  io: Pick<Io, 'write'>,
) {
  const { baseline: file, updateBaseline: updating = false } = flags
  if (file === undefined) {
    if (updating) throw new ConfigurationError(['--update-baseline needs --baseline FILE'])
    return {
      isKnown: () => false,
      judge: (report: ConformanceReport) => report,
      update: () => null,
    }
  }
  const source = { name: file, text: readBaseline(file, updating) }
  const baseline = loadBaseline(source, updating ? 'kept' : 'refused')
  return {
    isKnown: (id: string) => baseline.entries.has(id),
    /** Uses the file as it was before an update, so that no run passes because of its own update. */
    judge: (report: ConformanceReport) =>
      applyBaseline(report, baseline, new Date().toISOString().slice(0, 10)),
    /** Writes the file and describes the changes; null if no update was requested. */
    update: (report: ConformanceReport) =>
      updating ? rewrite(source, baseline, report, io) : null,
  }
}

function rewrite(
  source: { readonly name: string; readonly text: string },
  before: Baseline,
  report: ConformanceReport,
  io: Pick<Io, 'write'>,
): string {
  if (report.interrupted) return `Baseline ${source.name} not written: the run was interrupted`
  const { entries, added, changed, removed } = updateBaseline(report, before)
  const text = baselineText(source, entries)
  const write = () => (text === source.text ? undefined : io.write(source.name, text))
  refusing(Error, write, ({ message }) => `cannot write the baseline: ${message}`)
  const parts = [
    { label: `added (set "because" where it is ${toBeWritten})`, ids: added },
    { label: 'fingerprint changed (review)', ids: changed },
    { label: 'removed', ids: removed },
  ].filter(({ ids }) => ids.length > 0)
  if (parts.length === 0) return `Baseline ${source.name} is up to date`
  return [
    `Baseline ${source.name} updated:`,
    ...parts.map(({ label, ids }) => `  ${label}: ${ids.join(', ')}`),
  ].join('\n')
}

function readBaseline(file: string, updating: boolean): string {
  return updating && !existsSync(file) ? '' : inputText(file, 'cannot read the baseline')
}
