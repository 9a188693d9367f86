import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConformanceReport, RequirementRow } from '../../../contract/report/conformance.ts'
import { exchangesName, runRecordName } from '../../conformance/defaults.ts'
import { rejudge } from '../../conformance/recording/rejudge.ts'
import { suiteVersion } from '../../conformance/version.ts'
import type { BundleContent, StoredRound } from './content.ts'
import { requestProblems } from './requests.ts'
import { orderProblems, timeProblems } from './times.ts'

export interface EvidenceProblems {
  readonly requests: readonly string[]
  readonly verdicts: readonly string[]
  readonly times: readonly string[]
  readonly notes: readonly string[]
  /** The rounds as this version judges them. */
  readonly reports: readonly ConformanceReport[]
}

interface Rejudging {
  /** Temporary folder; the caller removes it. */
  readonly folder: string
  readonly signal?: AbortSignal
  readonly onStep: (step: string) => void
}

/**
 * Judges the evidence of every round anew. A round of another version of chatgen is judged by this one:
 * what differs is a note, not a problem, as long as nothing is violated.
 */
export async function evidenceProblems(
  { rounds }: BundleContent,
  { folder, signal, onStep }: Rejudging,
): Promise<EvidenceProblems> {
  const reports: ConformanceReport[] = []
  const requests: string[] = []
  const verdicts: string[] = []
  const notes: string[] = []
  const times = orderProblems(rounds)
  for (const stored of rounds) {
    onStep(`round ${stored.round}`)
    const dir = join(folder, String(stored.round))
    const outDir = join(dir, 'rejudged')
    mkdirSync(dir)
    writeFileSync(join(dir, runRecordName), stored.recordText)
    writeFileSync(join(dir, exchangesName), stored.exchanges)
    const report = await rejudge({ dir, outDir, ...(signal === undefined ? {} : { signal }) })
    reports.push(report)
    const round = (text: string) => `round ${stored.round}: ${text}`
    times.push(...timeProblems(stored).map(round))
    requests.push(...requestProblems(dir, outDir).map(round))
    const differences = differencesOf(stored, report).map(round)
    if (stored.record.suite.version === suiteVersion()) verdicts.push(...differences)
    else notes.push(...differences)
  }
  return { requests, verdicts, times, notes, reports }
}

function differencesOf(stored: StoredRound, today: ConformanceReport): string[] {
  const before = new Map(stored.report.requirements.map((row) => [row.id, row]))
  const after = new Map(today.requirements.map((row) => [row.id, row]))
  const ids = new Set([...before.keys(), ...after.keys()])
  return [...ids].flatMap((id) => {
    const [was, is] = [describe(before.get(id)), describe(after.get(id))]
    return was === is ? [] : [`${id} was reported as ${was}, and the evidence shows ${is}`]
  })
}

function describe(row: RequirementRow | undefined): string {
  return row === undefined ? 'not known' : row.verdict
}
