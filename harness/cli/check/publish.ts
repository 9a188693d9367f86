import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Exchange } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { conformanceDocument } from '../../../reports/conformance/document.ts'
import { reportToBadge, reportToGitHub } from '../../../reports/conformance/github.ts'
import { reportToJUnit } from '../../../reports/conformance/junit.ts'
import { scriptsName, scriptsOf } from '../../../reports/conformance/violations.ts'
import { reportToJson, withEvidence } from '../../../reports/text/digest.ts'
import {
  applyBaseline,
  type Baseline,
  baselineText,
  loadBaseline,
  toBeWritten,
  updateBaseline,
} from '../../conformance/baseline/baseline.ts'
import { exchangesName } from '../../conformance/defaults.ts'
import { asConfigurationError, ConfigurationError } from '../../conformance/errors.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import {
  defaultFormats,
  formatsIn,
  type PublishFlags,
  publishReport,
  reportKind,
} from '../results/publish-report.ts'
import { evidenceIn, readRecording } from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'
import { inputText } from '../values.ts'

/**
 * Writes the reports that have a file, and prints the others. `report.json` is always written: all other
 * formats can be rendered from it later.
 * @param flags `out` contains the exchanges of the run
 */
export function publish(found: ConformanceReport, flags: PublishFlags, io: Io): void {
  const { report: names, out } = flags
  const { exchanges } = readRecording(join(out, exchangesName))
  const kind = checkKind(exchanges)
  const formats = formatsIn(kind, names ?? checkFormats).filter(
    ({ name }) => !(name === 'html' && names === undefined && found.outcome === 'conforms'),
  )
  const page = formats.find(({ name }) => name === 'html')?.file
  const results = page ? `Results: ${out}\nHTML report: ${join(out, page)}` : `Results: ${out}`
  const report = withEvidence(found, evidenceIn(out))
  publishReport(report, kind, { ...flags, formats, results }, io)
  const scripts = scriptsOf(found, exchanges)
  if (scripts.size > 0) makeFolder(join(out, scriptsName))
  for (const [path, script] of scripts) io.write(path, script)
}

/** The kind of a check. `exchanges`: the evidence that its reports show. */
export function checkKind(exchanges: ReadonlyMap<string, Exchange> = new Map()) {
  return reportKind<ConformanceReport>('report', {
    toDocument: (report) => conformanceDocument(report, exchanges),
    toJson: reportToJson,
    toJUnit: (report) => reportToJUnit(report, exchanges),
    more: {
      github: { file: null, render: (report) => reportToGitHub(report, exchanges) },
      badge: { file: 'badge.svg', render: reportToBadge },
    },
  })
}

/** Formats of a check; `html` only if the target does not conform. */
export const checkFormats: readonly string[] = [...defaultFormats, 'html']
export const defaultsText = 'console,json, and html if it does not conform'

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
  const isNew = updating && !existsSync(file)
  const source = { name: file, text: isNew ? '' : inputText(file, 'cannot read the baseline') }
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
  asConfigurationError(Error, write, 'cannot write the baseline')
  const parts = [
    { label: `added (set "because" where it is ${toBeWritten})`, ids: added },
    { label: 'fingerprint or depth changed (review)', ids: changed },
    { label: 'removed', ids: removed },
  ].filter(({ ids }) => ids.length > 0)
  if (parts.length === 0) return `Baseline ${source.name} is up to date`
  return [
    `Baseline ${source.name} updated:`,
    ...parts.map(({ label, ids }) => `  ${label}: ${ids.join(', ')}`),
  ].join('\n')
}
