import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type ConformanceReport, conformanceReport } from '../../../contract/report/conformance.ts'
import { exchangesName, reportName, runRecordName } from '../defaults.ts'
import { ConfigurationError } from '../errors.ts'
import type { Progress } from '../progress.ts'
import { interruptedReason } from '../report/verdicts.ts'
import { type Engine, runConformance } from '../run.ts'
import { profileOfRecord, readRunRecord } from './record.ts'

export interface RejudgeOptions {
  /** Folder for results of a run: `run.json` and `exchanges.ndjson`. */
  readonly dir: string
  /** Folder for the new results; must be a different one. */
  readonly outDir: string
  /** The run ended by itself, although its report is elsewhere. */
  readonly hasEnded?: boolean
  readonly onProgress?: (progress: Progress) => void
  readonly signal?: AbortSignal | undefined
  /** Stays open; by default, one is opened for this run alone. */
  readonly engine?: Engine | undefined
}

/**
 * Judges the stored exchanges of a run with this version of chatgen: the same scenarios, seed, selection and
 * profile, without any request. Requests that only this version sends are missing in the recording, and the
 * requirements that need them are inconclusive.
 * @throws ConfigurationError if the folder lacks a file.
 */
export async function rejudge(options: RejudgeOptions): Promise<ConformanceReport> {
  const { dir, outDir, onProgress, signal, engine } = options
  const { recordFile, recordingFile } = recordedIn(dir, outDir)
  const record = readRunRecord(recordFile)
  const recordedEnd = options.hasEnded ? undefined : endIn(dir)
  const { selection, seed, keySeed, strict, incognito, depth, explore, maxGenerations } = record
  const report = await runConformance({
    profile: profileOfRecord(record, recordFile),
    ...{ selection, seed, keySeed, strict, incognito, depth, explore, recordingFile },
    ...{ maxGenerations, recordedEnd },
    outDir,
    ...{ onProgress, signal, engine },
  })
  return {
    ...report,
    ...(recordedEnd !== undefined && { stopped: recordedEnd }),
    recording: { startedAt: record.startedAt, suite: record.suite },
  }
}

/** The early end of the run: only its report explains why exchanges are missing. */
function endIn(dir: string): string | undefined {
  try {
    const stored = conformanceReport.parse(JSON.parse(readFileSync(join(dir, reportName), 'utf8')))
    return stored.stopped ?? (stored.interrupted ? interruptedReason : undefined)
  } catch {
    // A killed run leaves no report, or a truncated one.
    return `the run left no ${reportName}, so it may not have finished`
  }
}

/**
 * The files from which a run is judged again.
 * @throws ConfigurationError if they are missing, or the new results would overwrite them
 */
export function recordedIn(dir: string, outDir: string) {
  // A link is another name of the same folder.
  const [from, to] = [dir, outDir].map((one) => existsSync(one) && realpathSync(one))
  if (from && from === to) {
    throw new ConfigurationError([`the new results would overwrite the recording in ${dir}`])
  }
  const recordFile = join(dir, runRecordName)
  const recordingFile = join(dir, exchangesName)
  const missing = [recordFile, recordingFile].find((file) => !existsSync(file))
  if (missing === undefined) return { recordFile, recordingFile }
  throw new ConfigurationError([
    `there is no ${missing}: rejudge needs ${runRecordName} and ${exchangesName}`,
  ])
}
