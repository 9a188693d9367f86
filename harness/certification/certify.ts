import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { withEvidence } from '../../reports/text/digest.ts'
import { exchangesName, journalName, reportName, runRecordName } from '../conformance/defaults.ts'
import { ConfigurationError, InterruptedError } from '../conformance/errors.ts'
import type { TargetProfile } from '../conformance/profile/index.ts'
import type { ProfileName } from '../conformance/profile/selection.ts'
import type { Progress } from '../conformance/progress.ts'
import { profileOfRecord, readRunRecord } from '../conformance/recording/record.ts'
import { makeFolder } from '../conformance/recording/result-files.ts'
import { type Engine, runConformance } from '../conformance/run.ts'
import {
  envelopeName,
  pagesOf,
  productName,
  profileText,
  publicKeyName,
  reportText,
  roundFolder,
  sha256,
  sumsName,
  sumsText,
  writeInBundle,
} from './bundle.ts'
import { type Product, roundSeed, roundStart, rounds, toPem } from './inputs.ts'
import {
  certifiedDepth,
  certifiedSelection,
  judgeRounds,
  openMembers,
  type RoundsResult,
  refusedSettings,
} from './rules.ts'
import { sealed, statementOf } from './statement.ts'

export interface CertifyOptions {
  readonly profile: TargetProfile
  /** Surfaces that the certificate is about. */
  readonly surfaces: ProfileName
  readonly product: Product
  readonly challenge: string
  readonly key: KeyObject
  /** Folder of the bundle. */
  readonly outDir: string
  readonly jobs?: number
  readonly engine?: Engine
  /** Time from the first round to the last, in milliseconds; 0 by default. */
  readonly overMs?: number | undefined
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress, round: number) => void
  /** Writes a file of the bundle that is made from reports. */
  readonly write: (file: string, text: string) => void
  /** Completes the report of a round before it is stored. */
  readonly complete?: (report: ConformanceReport) => ConformanceReport | Promise<ConformanceReport>
}

export interface Certification {
  readonly result: RoundsResult
  readonly reports: readonly ConformanceReport[]
}

/**
 * Runs the rounds of a certification and writes the bundle. If a rule refuses the certificate, the reports of
 * the rounds stay in the folder and no certificate is written.
 * @throws ConfigurationError if the profile lacks a capability or a needed field, adds headers, or has a rate
 * limit that prevents simultaneous requests
 */
export async function certify(options: CertifyOptions): Promise<Certification> {
  const { profile, surfaces, outDir, challenge, signal, write } = options
  const { overMs = 0, complete = (report: ConformanceReport) => report } = options
  const problems = profileProblems(profile, surfaces)
  if (problems.length > 0) throw new ConfigurationError(problems)
  makeFolder(outDir)
  rmSync(join(outDir, envelopeName), { force: true })
  const reports: ConformanceReport[] = []
  const startedAt = performance.now()
  for (const round of rounds) {
    const waitMs = startedAt + roundStart(challenge, round, overMs) - performance.now()
    if (waitMs > 0) await pause(waitMs, signal)
    const dir = join(outDir, roundFolder(round))
    const found = await runConformance({
      profile,
      selection: certifiedSelection(surfaces),
      outDir: dir,
      seed: roundSeed(challenge, round),
      shuffle: roundSeed(challenge, round),
      incognito: true,
      depth: certifiedDepth,
      engine: options.engine,
      jobs: options.jobs,
      signal,
      onProgress: (progress) => options.onProgress?.(progress, round),
    })
    const exchanges = sha256(readFileSync(join(dir, exchangesName)))
    const report = await complete(found)
    write(join(dir, reportName), reportText(report, exchanges))
    reports.push(withEvidence(report, { exchanges }))
    if (found.interrupted) break
  }
  const result = judgeRounds(reports)
  if (result.refusals.length === 0) writeBundle(options, { result, reports })
  return { result, reports }
}

/** @throws InterruptedError if the signal is aborted first */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {
    throw new InterruptedError('interrupted between two rounds')
  })
}

function writeBundle(options: CertifyOptions, { result, reports }: Certification): void {
  const { outDir, product, challenge, surfaces, key, write } = options
  const exchangesFile = join(outDir, roundFolder(reports.length), exchangesName)
  const recordFile = join(outDir, roundFolder(1), runRecordName)
  const profile = profileOfRecord(readRunRecord(recordFile), runRecordName)
  for (const [name, text] of pagesOf({ product, challenge, reports, profile }, exchangesFile)) {
    write(join(outDir, name), text)
  }
  for (const round of rounds) {
    const path = `${roundFolder(round)}/${exchangesName}`
    const exchanges = readFileSync(join(outDir, path))
    writeInBundle(outDir, `${path}.gz`, gzipSync(exchanges, { level: 9 }))
    rmSync(join(outDir, path))
    // It only cleans up after the run.
    rmSync(join(outDir, roundFolder(round), journalName), { force: true })
  }
  const productText = `${JSON.stringify(product, null, 2)}\n`
  writeInBundle(outDir, productName, productText)
  writeInBundle(outDir, publicKeyName, toPem(createPublicKey(key)))
  const sums = sumsText(outDir)
  writeInBundle(outDir, sumsName, sums)
  const statement = statementOf({
    product,
    productText,
    challenge,
    surfaces,
    result,
    sums,
    profileText: profileText(recordFile),
  })
  writeInBundle(outDir, envelopeName, sealed(Buffer.from(JSON.stringify(statement)), key))
}

/** Reasons why no certificate can be issued with the profile, as sentences; empty for none. */
export function profileProblems(profile: TargetProfile, surfaces: ProfileName): readonly string[] {
  const refused = refusedSettings(profile, surfaces)
  const members = openMembers(profile, surfaces)
  if (members.length === 0) return refused
  return [
    ...refused,
    `a certificate must leave nothing open, but the profile lacks ${members.join(', ')}`,
    'declare each capability true or false, and set the members that its requirements need',
  ]
}
