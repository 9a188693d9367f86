import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { restoreExchanges } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { exchangesName, runRecordName } from '../../conformance/defaults.ts'
import { rejudge } from '../../conformance/recording/rejudge.ts'
import type { StoredRound } from './content.ts'
import type { RoundRecording } from './recording.ts'
import { reportFromEvidence } from './reports.ts'
import { requestProblems } from './requests.ts'

export interface JudgedRound {
  readonly stored: StoredRound
  /** The report as this version comes to it. */
  readonly report: ConformanceReport
  /** Requests that are not those of this version. */
  readonly requests: readonly string[]
  /** Path of the exchanges, uncompressed. */
  readonly exchangesFile: string
}

interface Rejudging {
  /** Temporary folder; the caller removes it. */
  readonly folder: string
  readonly signal?: AbortSignal
}

/** Judges the evidence of a round anew. Nothing is sent. */
export async function judgeRound(
  stored: StoredRound,
  { exchanges }: RoundRecording,
  { folder, signal }: Rejudging,
): Promise<JudgedRound> {
  const dir = join(folder, String(stored.round))
  const outDir = join(dir, 'rejudged')
  const exchangesFile = join(dir, exchangesName)
  mkdirSync(dir)
  writeFileSync(join(dir, runRecordName), stored.recordText)
  writeFileSync(exchangesFile, stored.exchanges)
  const report = await rejudge({ dir, outDir, ...(signal === undefined ? {} : { signal }) })
  const rejudged = restoreExchanges(readFileSync(join(outDir, exchangesName), 'utf8'))
  return {
    stored,
    report: reportFromEvidence(stored, report),
    requests: requestProblems(exchanges, rejudged.exchanges),
    exchangesFile,
  }
}
