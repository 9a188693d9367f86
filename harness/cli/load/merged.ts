import { join } from 'node:path'
import { messageOf } from '../../../contract/error-message.ts'
import type { Doubt } from '../../../contract/report/digest.ts'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import { withDoubt } from '../../../reports/text/digest.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { joinRequests, requestsName } from '../../load/requests-file.ts'
import { ShardMismatchError } from '../../load/shards/check.ts'
import { mergeShards } from '../../load/shards/merge.ts'
import { loadIn, type StoredFile } from '../results/stored-report.ts'

/** The worst doubt of any shard applies to the merged report. */
function worstOf(files: readonly StoredFile[]): Doubt | null {
  const doubts = files.flatMap(({ doubt }) => doubt ?? [])
  return doubts.find((doubt) => doubt !== 'without digest') ?? doubts[0] ?? null
}

/** Joins `requests.ndjson` of the folders of shards. @throws ConfigurationError if it cannot be written */
export function mergeRequests(folders: readonly string[], out: string): void {
  try {
    joinRequests(folders, out)
  } catch (error) {
    throw new ConfigurationError([`cannot write ${join(out, requestsName)}: ${messageOf(error)}`])
  }
}

/**
 * Merges the reports of shards; a single report is returned unchanged.
 * @throws ConfigurationError if they are not load reports, or not shards of one run
 */
export function mergedLoad(files: readonly StoredFile[]): LoadReport {
  const [first, ...others] = files.map((stored) => ({
    name: stored.file,
    report: loadIn(stored),
  }))
  if (first === undefined) throw new ConfigurationError(['no load report given'])
  if (others.length === 0) return first.report
  try {
    return withDoubt(mergeShards([first, ...others]), worstOf(files))
  } catch (error) {
    if (error instanceof ShardMismatchError) throw new ConfigurationError([error.message])
    throw error
  }
}
