import type { KeyObject } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Exchange, restoreExchanges } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { exchangesName, runRecordName } from '../../conformance/defaults.ts'
import { profileOfRecord } from '../../conformance/recording/record.ts'
import { rejudge } from '../../conformance/recording/rejudge.ts'
import { temporaryFolder } from '../../conformance/recording/result-files.ts'
import type { Engine } from '../../conformance/run.ts'
import { pagesOf } from '../bundle.ts'
import { certifiedReport } from '../rules.ts'
import { challengeProblem, roundProblems, statementProblems } from './claims.ts'
import { type BundleContent, readBundle, type StoredRound } from './content.ts'
import { orderProblems, readRecordingOf, spanProblem, timeProblems } from './recording.ts'
import {
  reportFromEvidence,
  reportProblems,
  requestProblems,
  verdictDifferences,
} from './reports.ts'

export interface VerifyOptions {
  readonly dir: string
  /** Key that the bundle must be signed with; without it, the key in the bundle. */
  readonly publicKey?: KeyObject | undefined
  /** Challenge that the bundle must answer. */
  readonly challenge?: string | undefined
  /** Shortest time from the first round to the last, in milliseconds. */
  readonly overMs?: number | undefined
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

interface Found {
  /** Absent if the bundle could not be read. */
  content?: BundleContent
  /** The last round of a verified bundle, as this version judges and shows it. */
  lastRound?: {
    readonly report: ConformanceReport
    /** Texts of the files that show it, by name. */
    readonly pages: ReadonlyMap<string, string>
  }
}

export type Verification = Awaited<ReturnType<typeof verifyBundle>>

/**
 * Verifies a bundle: signature, digests, completeness, freshness, and that this version sends the recorded
 * requests, reaches the recorded verdicts and writes the same reports. Nothing is sent.
 * @returns steps in the order in which they were verified, up to the first that does not hold
 * @throws the reason of the signal
 */
export async function verifyBundle(options: VerifyOptions) {
  const steps: VerifiedStep[] = []
  const found: Found = {}
  for await (const [title, problems, notes = []] of stepsOf(options, found)) {
    steps.push({ title, problems, notes })
    if (problems.length > 0) break
  }
  return { verified: found.lastRound !== undefined, steps, ...found }
}

type Step = readonly [title: string, problems: readonly string[], notes?: readonly string[]]

/** The steps of a verification. Each relies on those before it: the next one is requested only if it holds. */
async function* stepsOf(options: VerifyOptions, found: Found): AsyncGenerator<Step> {
  const { dir, publicKey, onStep = () => {}, signal } = options
  onStep('signature and files')
  const { signature, files, keyId, content } = readBundle(dir, publicKey)
  const isOwnKey = publicKey === undefined && keyId !== undefined
  const trust = `the key ${keyId} was taken from the bundle; compare it, or pass --public-key`
  yield ['signature', signature, isOwnKey ? [trust] : []]
  yield ['files and digests', files]
  if (content === undefined) return
  found.content = content
  const { rounds, product, challenge } = content
  yield ['challenge', challengeProblem(content, options.challenge)]
  const settings = [...roundProblems(content), ...spanProblem(content, options.overMs)]
  yield ['rounds and settings', settings]

  const recorded = rounds.map((stored) => ({ stored, ...readRecordingOf(stored) }))
  yield ['exchanges', inRounds(recorded, ({ problems }) => problems)]
  const times = inRounds(recorded, ({ stored, exchanges }) =>
    timeProblems(stored.report, exchanges),
  )
  yield ['times and order', [...orderProblems(rounds), ...times]]

  // An interrupt during the steps until here is noticed before vitest has its own handler.
  await nextTurn()
  signal?.throwIfAborted()
  const folder = temporaryFolder('verify')
  try {
    const judging: ReturnType<typeof judgeRound>[] = []
    for (const round of recorded) {
      onStep(`round ${round.stored.round}`)
      const judged = judgeRound(round, folder, options)
      judging.push(judged)
      // Evidence of other requests decides nothing: the rounds that remain need not be judged.
      if (options.engine !== undefined && (await judged).requests.length > 0) break
    }
    const judged = await Promise.all(judging)
    // A round that was not judged to its end shows nothing.
    signal?.throwIfAborted()
    yield ['requests', inRounds(judged, ({ requests }) => requests)]
    const verdicts = inRounds(judged, ({ stored, report }) =>
      verdictDifferences(stored.report, report),
    )
    yield ['verdicts', verdicts]

    const last = judged.at(-1)
    if (last === undefined) return
    const reports = judged.map(({ report }) => report)
    const profile = profileOfRecord(last.stored.record, runRecordName)
    const pages = pagesOf({ product, challenge, reports, profile }, last.exchangesFile)
    const written = inRounds(judged, ({ stored, report }) => reportProblems(stored, report))
    yield ['reports', [...written, ...pageProblems(dir, pages)]]
    yield ['statement', statementProblems(content, reports)]
    found.lastRound = { report: certifiedReport(reports) ?? last.report, pages }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function pageProblems(dir: string, pages: ReadonlyMap<string, string>): string[] {
  return [...pages].flatMap(([name, text]) =>
    readFileSync(join(dir, name), 'utf8') === text
      ? []
      : [`${name} is not what chatgen writes for the last round`],
  )
}

/** Problems of each round, with its number in front. */
function inRounds<Round extends { readonly stored: StoredRound }>(
  rounds: readonly Round[],
  problemsOf: (round: Round) => readonly string[],
): string[] {
  return rounds.flatMap((one) =>
    problemsOf(one).map((text) => `round ${one.stored.round}: ${text}`),
  )
}

/**
 * Judges the evidence of a round again, in a subfolder. Nothing is sent.
 * @returns the report of this version, the requests that differ from those of this version, and the path of the
 * exchanges, uncompressed
 */
async function judgeRound(
  { stored, exchanges }: { stored: StoredRound; exchanges: readonly Exchange[] },
  folder: string,
  { signal, engine }: VerifyOptions,
) {
  const dir = join(folder, String(stored.round))
  const outDir = join(dir, 'rejudged')
  const exchangesFile = join(dir, exchangesName)
  mkdirSync(dir)
  writeFileSync(join(dir, runRecordName), stored.recordText)
  writeFileSync(exchangesFile, stored.exchanges)
  const rejudged = await rejudge({ dir, outDir, hasEnded: true, signal, engine })
  const sent = restoreExchanges(readFileSync(join(outDir, exchangesName), 'utf8'))
  const requests = requestProblems(exchanges, sent.exchanges)
  return { stored, report: reportFromEvidence(stored, rejudged), requests, exchangesFile }
}
