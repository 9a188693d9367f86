import type { KeyObject } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { exchangesName, journalName, runRecordName } from '../conformance/defaults.ts'
import { ConfigurationError } from '../conformance/errors.ts'
import { missingMembers } from '../conformance/profile/applicability.ts'
import type { TargetProfile } from '../conformance/profile/index.ts'
import { type ProfileName, selectRows } from '../conformance/profile/selection.ts'
import type { Progress } from '../conformance/progress.ts'
import { makeFolder } from '../conformance/recording/result-files.ts'
import type { Engine } from '../conformance/run.ts'
import { runConformance } from '../conformance/run.ts'
import {
  compress,
  envelopeName,
  productName,
  publicKeyName,
  roundFolder,
  sumsName,
  sumsText,
  writeInBundle,
} from './bundle.ts'
import { roundSeed, rounds } from './challenge.ts'
import { sealed } from './envelope.ts'
import { publicKeyOf, toPem } from './keys.ts'
import type { Product } from './product.ts'
import { profileText } from './round-record.ts'
import {
  certifiedSelection,
  judgeRounds,
  type RoundsResult,
  undeclaredCapabilities,
} from './rules.ts'
import { statementOf } from './statement.ts'

export interface CertifyOptions {
  readonly profile: TargetProfile
  /** Surfaces that the certificate is about. */
  readonly surfaces: ProfileName
  readonly product: Product
  readonly challenge: string
  readonly key: KeyObject
  /** Folder of the bundle. */
  readonly outDir: string
  /** Text of the kill matrix of this version. */
  readonly killMatrix: string
  readonly jobs?: number
  readonly engine: Engine
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress, round: number) => void
  /** Writes the reports of a round into its folder; returns the report as it is stored. */
  readonly publishRound: (report: ConformanceReport, dir: string) => ConformanceReport
  /** Writes the page and the badge of the whole certificate. */
  readonly publishBundle: (reports: readonly ConformanceReport[], dir: string) => void
}

export interface Certification {
  readonly result: RoundsResult
  readonly reports: readonly ConformanceReport[]
}

/**
 * Runs the rounds of a certification and writes the bundle. Where a rule refuses the certificate, the
 * reports of the rounds stay in the folder and no certificate is written.
 * @throws ConfigurationError where the profile leaves a capability or a needed member open
 */
export async function certify(options: CertifyOptions): Promise<Certification> {
  const { profile, surfaces, outDir, challenge, signal } = options
  assertDeclared(profile, surfaces)
  makeFolder(outDir)
  rmSync(join(outDir, envelopeName), { force: true })
  const reports: ConformanceReport[] = []
  for (const round of rounds) {
    const dir = join(outDir, roundFolder(round))
    const found = await runConformance({
      profile,
      selection: certifiedSelection(surfaces),
      outDir: dir,
      seed: roundSeed(challenge, round),
      shuffle: roundSeed(challenge, round),
      incognito: true,
      engine: options.engine,
      ...(options.jobs === undefined ? {} : { jobs: options.jobs }),
      ...(signal === undefined ? {} : { signal }),
      onProgress: (progress) => options.onProgress?.(progress, round),
    })
    reports.push(options.publishRound(found, dir))
    if (found.interrupted) break
  }
  const result = judgeRounds(reports)
  if (result.refusals.length === 0) writeBundle(options, { result, reports })
  return { result, reports }
}

function writeBundle(options: CertifyOptions, { result, reports }: Certification): void {
  const { outDir, product, challenge, surfaces, key, killMatrix } = options
  for (const round of rounds) compressRound(join(outDir, roundFolder(round)))
  const productText = `${JSON.stringify(product, null, 2)}\n`
  writeInBundle(outDir, productName, productText)
  writeInBundle(outDir, publicKeyName, toPem(publicKeyOf(key)))
  options.publishBundle(reports, outDir)
  const sums = sumsText(outDir)
  writeInBundle(outDir, sumsName, sums)
  const statement = statementOf({
    product,
    productText,
    challenge,
    surfaces,
    result,
    killMatrix,
    sums,
    profileText: profileText(join(outDir, roundFolder(1), runRecordName)),
  })
  writeInBundle(outDir, envelopeName, sealed(Buffer.from(JSON.stringify(statement)), key))
}

/** Compresses the exchanges of a round and removes its journal, which only cleans up after the run. */
function compressRound(dir: string): void {
  const exchanges = readFileSync(join(dir, exchangesName))
  writeInBundle(dir, `${exchangesName}.gz`, compress(exchanges))
  rmSync(join(dir, exchangesName))
  rmSync(join(dir, journalName), { force: true })
}

function assertDeclared(profile: TargetProfile, surfaces: ProfileName): void {
  const open = surfaces === 'full' ? undeclaredCapabilities(profile) : []
  const missing = missingMembers(selectRows(certifiedSelection(surfaces)), profile)
  const members = [...new Set([...open.map((name) => `capabilities.${name}`), ...missing.keys()])]
  if (members.length === 0) return
  throw new ConfigurationError([
    `a certificate leaves nothing open; the profile lacks ${members.join(', ')}`,
    'declare each capability true or false, and set the members that its requirements need',
  ])
}
