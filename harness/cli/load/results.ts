import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { messageOf } from '../../../contract/text.ts'
import { capacityDocument } from '../../../reports/capacity/document.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import { toJUnit } from '../../../reports/document/junit.ts'
import { loadDocument } from '../../../reports/load/document.ts'
import { loadToCsv, loadToPrometheus } from '../../../reports/load/metrics/prometheus.ts'
import { type Calibration, calibration } from '../../../reports/load/model/generator.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { planDocument } from '../../../reports/plan/document.ts'
import { type PlanReport, planReport } from '../../../reports/plan/model.ts'
import { reportToJson, withDoubt } from '../../../reports/text/digest.ts'
import { jsonText } from '../../../reports/text/escape.ts'
import { closeJournal, startJournal } from '../../conformance/cleanup/journal.ts'
import { journalName } from '../../conformance/defaults.ts'
import { asConfigurationError, ConfigurationError } from '../../conformance/errors.ts'
import { readInputFile } from '../../conformance/input-file.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import type { ClientIdentity } from '../../conformance/run-setup.ts'
import { InputError } from '../../load/options.ts'
import { type Part, type PlanSpec, partSize, wholePlan } from '../../load/plan/plan.ts'
import { joinRequests, requestsName } from '../../load/record.ts'
import { mergeShards } from '../../load/shards/merge.ts'
import { reportKind } from '../results/publish-report.ts'
import { loadIn, type StoredFile } from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'
import { inputText } from '../values.ts'

/** Joins `requests.ndjson` of the folders of shards. @throws ConfigurationError if it cannot be written */
export function mergeRequests(folders: readonly string[], out: string): void {
  asConfigurationError(
    Error,
    () => joinRequests(folders, out),
    `cannot write ${join(out, requestsName)}`,
  )
}

/**
 * Merges the reports of shards; a single report is returned unchanged, unless several shards were started.
 * @throws ConfigurationError if they are not load reports, or not shards of one run
 */
export function mergedLoad(files: readonly StoredFile[], started = 1): LoadReport {
  const [first, ...others] = files.map((stored) => ({
    name: stored.file,
    report: loadIn(stored),
  }))
  if (first === undefined) throw new ConfigurationError(['no load report given'])
  if (others.length === 0 && started === 1) return first.report
  const merged = asConfigurationError(InputError, () => mergeShards([first, ...others]))
  const doubts = files.flatMap(({ doubt }) => doubt ?? [])
  // The worst doubt of any shard applies to the merged report.
  const worst = doubts.find((doubt) => doubt !== 'without digest') ?? doubts[0] ?? null
  return withDoubt(merged, worst)
}

/** Starts the creation journal of a run that creates chats; undefined for other runs. */
export function openLoadJournal(
  folder: string,
  setup: ClientIdentity,
  { spec, shard }: { readonly spec: PlanSpec; readonly shard: Part | null },
): string | undefined {
  const { v3, history } = partSize(spec, shard ?? wholePlan).needs
  if (v3 + history === 0) return undefined
  const file = join(folder, journalName)
  const start = () => {
    makeFolder(folder)
    startJournal(file, setup)
  }
  asConfigurationError(Error, start, `cannot write ${file}`)
  return file
}

/** Removes the journal if nothing is left on the target; otherwise returns the command to clean up. */
export function closeLoadJournal(file: string | undefined): readonly string[] {
  if (file === undefined || closeJournal(file) === 0) return []
  return [`chats may be left on the target: run chatgen cleanup ${file}`]
}

/**
 * URL to which a report is uploaded: `--upload` itself, or the line of the shard, from 0, in that file.
 * @throws ConfigurationError if there is none
 */
export function uploadUrl(upload: string, shard: Part | undefined): URL {
  const lines = existsSync(upload) ? linesOf(upload) : [upload]
  const index = lines.length === 1 ? 0 : (shard?.index ?? 0)
  const text = lines[index]
  // No message shows the value: it may be a presigned URL.
  const refuse = (problem: string) => new ConfigurationError([`--upload: ${problem}`])
  if (text === undefined || !URL.canParse(text) || !/^https?:/.test(text))
    throw refuse(
      `there is no URL for shard ${shard?.index ?? 0}: pass one that begins with https://, or a file with one for each shard`,
    )
  const url = new URL(text)
  if (url.username !== '' || url.password !== '')
    throw refuse('a URL with a user name or password cannot be used: pass a presigned one')
  return url
}

function linesOf(file: string): string[] {
  const lines = inputText(file, '--upload: cannot read the file').split('\n')
  return lines.map((line) => line.trim()).filter((line) => line !== '')
}

const timeoutMs = 60_000

/** Sends a report by PUT, as presigned URLs of object stores expect it. @throws ConfigurationError */
export async function uploadReport(url: URL, text: string): Promise<void> {
  // A presigned URL grants access: no message has its query.
  const place = `${url.origin}${url.pathname}`
  const failed = (reason: string) =>
    new ConfigurationError([`the report could not be uploaded to ${place}: ${reason}`])
  try {
    const response = await fetch(url, {
      method: 'PUT',
      body: text,
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.arrayBuffer()
    if (!response.ok) throw failed(`status ${response.status}`)
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    throw failed(messageOf(error))
  }
}

/** Path in the user's cache folder (XDG Base Directory Specification). */
export function calibrationFile({ env }: Pick<Io, 'env'>): string {
  const cache = env['XDG_CACHE_HOME']
  return join(cache ? cache : join(homedir(), '.cache'), 'chatgen', 'calibration.json')
}

/** Reads a calibration; undefined if there is none that this version can read. */
export function storedCalibration(file: string): Calibration | undefined {
  try {
    return calibration.parse(JSON.parse(readInputFile(file)))
  } catch {
    return undefined
  }
}

/** @throws ConfigurationError if the file exists and is not a calibration, before anything is measured */
export function refuseForeign(file: string): void {
  if (!existsSync(file) || storedCalibration(file) !== undefined) return
  const what = statSync(file).isDirectory() ? 'a folder' : 'not a calibration of this version'
  throw new ConfigurationError([`${file} is ${what}: choose another file with --out, or remove it`])
}

/** @throws ConfigurationError if the file cannot be written */
export function storeCalibration(file: string, found: Calibration, io: Pick<Io, 'write'>): void {
  const store = () => {
    makeFolder(dirname(file))
    io.write(file, `${JSON.stringify(found, null, 2)}\n`)
  }
  asConfigurationError(Error, store, 'cannot write the calibration')
}

export const loadKind = reportKind<LoadReport>('report', {
  toDocument: loadDocument,
  toJson: reportToJson,
  toJUnit: (report) => toJUnit(loadDocument(report), report, report.integrity.held),
  more: {
    csv: { file: 'report.csv', render: loadToCsv },
    prometheus: { file: 'report.prom', render: loadToPrometheus },
  },
})

export const capacityKind = reportKind<CapacityReport>('report', {
  toDocument: capacityDocument,
  toJson: reportToJson,
  toJUnit: (report) => toJUnit(capacityDocument(report), report),
})

export const planKind = reportKind<PlanReport>('plan', {
  toDocument: planDocument,
  toJson: (report) => jsonText(planReport.parse(report)),
  toJUnit: (report) =>
    toJUnit(planDocument(report), {
      outcome: report.outcome,
      target: { baseUrl: report.measured[0]?.baseUrl ?? '' },
      startedAt: report.createdAt,
      durationMs: 0,
    }),
})
