import { readFileSync } from 'node:fs'
import { asObject, asString } from '../../contract/json.ts'

/** Default number of scenarios in flight. */
export const defaultJobs = 4
export const defaultMaxGenerations = 1200

/** Slug and title of the random sequences of operations. */
export const exploreSlug = 'explore'
/** Default number of random operations, in profile full without `--only`. */
export const defaultOperations = 200

/** Files of a run in its folder for results. */
export const exchangesName = 'exchanges.ndjson'
export const journalName = 'journal.ndjson'
export const runRecordName = 'run.json'
/** Names the process that writes into the folder. */
export const lockName = '.chatgen.lock'
export const reportName = 'report.json'

/** Revision of the interface document that the catalog restates. */
export const interfaceRevision = '2026-11'

export function suiteVersion(): string {
  const up = import.meta.url.endsWith('.js') ? '../../../package.json' : '../../package.json'
  const manifest: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'))
  return asString(asObject(manifest)?.['version']) ?? '0.0.0'
}

/** Grace periods, in milliseconds, after the end of the run. */

/** Time for cleanup after the deadline of the run. */
export const overtimeCleanupMs = 2_000

/** Time for cleanup after an interrupt: the user who pressed Ctrl-C is waiting. */
export const interruptCleanupMs = 2_000

/** Time for open requests to end after an interrupt, and then for each deletion. */
export const interruptRequestMs = 1_000
