import type { KeyObject } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { restoreExchanges } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { exchangesName, runRecordName } from '../../conformance/defaults.ts'
import { profileOfRecord } from '../../conformance/recording/record.ts'
import { rejudge } from '../../conformance/recording/rejudge.ts'
import type { Engine } from '../../conformance/run.ts'
import { pagesOf } from '../bundle.ts'
import { challengeProblem, roundProblems, statementProblems } from './claims.ts'
import { type BundleContent, readBundle, type StoredRound } from './content.ts'
import {
  orderProblems,
  type RoundRecording,
  readRecordingOf,
  spanProblem,
  timeProblems,
} from './recording.ts'
import {
  reportFromEvidence,
  reportProblems,
  requestProblems,
  verdictDifferences,
} from './reports.ts'

export interface VerifyOptions {
  readonly dir: string
  /** Key that the bundle must be signed with; without it, the key in the bundle. */
  readonly publicKey?: KeyObject
  /** Challenge that the bundle must answer. */
  readonly challenge?: string
  /** Shortest time from the first round to the last, in milliseconds. */
  readonly overMs?: number
  readonly signal?: AbortSignal
  /** Judges one round after the other; by default, each has a process and all are judged at once. */
  readonly engine?: Engine
  readonly onStep?: (step: string) => void
}

/** One thing that was verified. */
export interface VerifiedStep {
  readonly title: string
  /** Reasons why it does not hold; empty if it does. */
  readonly problems: readonly string[]
  /** Remarks that do not refuse the certificate, for example that the key was taken from the bundle. */
  readonly notes: readonly string[]
}

export interface Verification {
  readonly verified: boolean
  /** Steps in the order in which they were verified, up to the first that does not hold. */
  readonly steps: readonly VerifiedStep[]
  /** Absent if the bundle could not be read. */
  readonly content?: BundleContent
  /** The last round of a verified bundle, as this version judges and shows it. */
  readonly lastRound?: {
    readonly report: ConformanceReport
    /** Texts of the files that show it, by name. */
    readonly pages: ReadonlyMap<string, string>
  }
}

/**
 * Verifies a bundle: signature, digests, completeness, freshness, and that this version sends the recorded
 * requests, reaches the recorded verdicts and writes the same reports. Nothing is sent.
 * @throws the reason of the signal
 */
export async function verifyBundle(options: VerifyOptions): Promise<Verification> {
  const { dir, challenge, overMs, onStep = () => {} } = options
  const steps: VerifiedStep[] = []
  const holds = (title: string, problems: readonly string[], notes: readonly string[] = []) => {
    steps.push({ title, problems, notes })
    return problems.length === 0
  }

  onStep('signature and files')
  const bundle = readBundle(dir, options.publicKey)
  const trust =
    options.publicKey === undefined && bundle.keyId !== undefined
      ? [`the key ${bundle.keyId} was taken from the bundle; compare it, or pass --public-key`]
      : []
  if (!holds('signature', bundle.signature, trust)) return { verified: false, steps }
  const { content } = bundle
  if (!holds('files and digests', bundle.files) || content === undefined) {
    return { verified: false, steps }
  }
  const failed = { verified: false, steps, content }
  if (!holds('challenge', challengeProblem(content, challenge))) return failed
  const settings = [...roundProblems(content), ...spanProblem(content, overMs)]
  if (!holds('rounds and settings', settings)) return failed

  const recordings = content.rounds.map(readRecordingOf)
  const lines = recordings.flatMap(({ round, problems }) => inRound(round, problems))
  if (!holds('exchanges', lines)) return failed
  const times = content.rounds.flatMap(({ round, report }, at) => {
    const recording = recordings[at]
    return recording === undefined ? [] : inRound(round, timeProblems(report, recording))
  })
  if (!holds('times and order', [...orderProblems(content.rounds), ...times])) return failed

  const { signal, engine } = options
  // An interrupt during the steps until here is noticed before vitest has its own handler.
  await nextTurn()
  signal?.throwIfAborted()
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-verify-'))
  try {
    const judged: Promise<JudgedRound>[] = []
    for (const [at, stored] of content.rounds.entries()) {
      onStep(`round ${stored.round}`)
      const recording = recordings[at]
      if (recording === undefined) continue
      const round = judgeRound(stored, recording, {
        folder,
        ...(signal === undefined ? {} : { signal }),
        ...(engine === undefined ? {} : { engine }),
      })
      judged.push(round)
      // Evidence of other requests decides nothing: the rounds that remain need not be judged.
      if (engine !== undefined && (await round).requests.length > 0) break
    }
    const all = await Promise.all(judged)
    // A round that was not judged to its end shows nothing.
    signal?.throwIfAborted()
    return concluded({ judged: all, content, steps, dir, holds })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Conclusion {
  readonly judged: readonly JudgedRound[]
  readonly content: BundleContent
  readonly steps: readonly VerifiedStep[]
  readonly dir: string
  readonly holds: (title: string, problems: readonly string[]) => boolean
}

/** The steps that compare the bundle with its rounds as judged again. */
function concluded({ judged, content, steps, dir, holds }: Conclusion): Verification {
  const failed = { verified: false, steps, content }
  const requests = judged.flatMap((one) => inRound(one.stored.round, one.requests))
  if (!holds('requests', requests)) return failed
  const verdicts = judged.flatMap(({ stored, report }) =>
    inRound(stored.round, verdictDifferences(stored.report, report)),
  )
  if (!holds('verdicts', verdicts)) return failed

  const last = judged.at(-1)
  if (last === undefined) return failed
  const reports = judged.map(({ report }) => report)
  const { product, challenge } = content
  const profile = profileOfRecord(last.stored.record, runRecordName)
  const pages = pagesOf({ product, challenge, reports, profile }, last.exchangesFile)
  const written = judged.flatMap(({ stored, report }) =>
    inRound(stored.round, reportProblems(stored, report)),
  )
  if (!holds('reports', [...written, ...pageProblems(dir, pages)])) return failed
  if (!holds('statement', statementProblems(content, reports))) return failed
  return { verified: true, steps, content, lastRound: { report: last.report, pages } }
}

function pageProblems(dir: string, pages: ReadonlyMap<string, string>): string[] {
  return [...pages].flatMap(([name, text]) =>
    readFileSync(join(dir, name), 'utf8') === text
      ? []
      : [`${name} is not what chatgen writes for the last round`],
  )
}

function inRound(round: number, texts: readonly string[]): string[] {
  return texts.map((text) => `round ${round}: ${text}`)
}

export interface JudgedRound {
  readonly stored: StoredRound
  /** The report of this version. */
  readonly report: ConformanceReport
  /** Requests that differ from those of this version. */
  readonly requests: readonly string[]
  /** Path of the exchanges, uncompressed. */
  readonly exchangesFile: string
}

interface Rejudging extends Pick<VerifyOptions, 'signal' | 'engine'> {
  /** Temporary folder; the caller removes it. */
  readonly folder: string
}

/** Judges the evidence of a round again. Nothing is sent. */
export async function judgeRound(
  stored: StoredRound,
  { exchanges }: RoundRecording,
  { folder, ...options }: Rejudging,
): Promise<JudgedRound> {
  const dir = join(folder, String(stored.round))
  const outDir = join(dir, 'rejudged')
  const exchangesFile = join(dir, exchangesName)
  mkdirSync(dir)
  writeFileSync(join(dir, runRecordName), stored.recordText)
  writeFileSync(exchangesFile, stored.exchanges)
  const report = await rejudge({ dir, outDir, ...options })
  const rejudged = restoreExchanges(readFileSync(join(outDir, exchangesName), 'utf8'))
  return {
    stored,
    report: reportFromEvidence(stored, report),
    requests: requestProblems(exchanges, rejudged.exchanges),
    exchangesFile,
  }
}
