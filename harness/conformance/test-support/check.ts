import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Exchange, restoreExchanges } from '../../../contract/index.ts'
import type {
  ConformanceReport,
  RequirementResult,
  Verdict,
} from '../../../contract/report/conformance.ts'
import { targetFixture } from '../../../fixtures/targets.ts'
import { exchangesName } from '../defaults.ts'
import { loadProfile, type TargetProfile } from '../profile/index.ts'
import type { ProfileName } from '../profile/selection.ts'
import { type RunOptions, runConformance } from '../run.ts'
import { sharedEngine } from './shared-engine.ts'

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = makeFolder()
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** A profile for a server that answers at once, on a machine that may be slow. */
export function profileOf(more: Readonly<Record<string, unknown>>): TargetProfile {
  const limits = { timeoutMs: 15_000, settleMs: 60 }
  return loadProfile({ name: 'test', text: '' }, {}, { limits, ...more })
}

/** The profile of a reference server. */
export function referenceProfile(
  baseUrl: string,
  [apiKey, otherKey]: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): TargetProfile {
  return loadProfile(targetFixture('reference'), {}, { baseUrl, apiKey, otherKey, ...more })
}

export type CheckOptions = Partial<Omit<RunOptions, 'profile' | 'selection'>> & {
  readonly surfaces?: ProfileName
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
}

/** A whole run; without `outDir`, its files are removed at the end. */
export async function check(
  profile: TargetProfile,
  { surfaces = 'full', only = [], skip = [], outDir, ...options }: CheckOptions = {},
): Promise<ConformanceReport> {
  const selection = { profile: surfaces, only, skip }
  const folder = outDir ?? makeFolder()
  try {
    const isWatched = options.signal !== undefined || options.onProgress !== undefined
    const engine = isWatched ? {} : { engine: sharedEngine }
    const run = { jobs: 64, anyAnswer: true, ...engine, ...options }
    return await runConformance({ ...run, outDir: folder, profile, selection })
  } finally {
    if (outDir === undefined) removeFolder(folder)
  }
}

/** The exchanges that a run has stored in its folder. */
export function exchangesIn(outDir: string): readonly Exchange[] {
  return restoreExchanges(readFileSync(join(outDir, exchangesName), 'utf8')).exchanges
}

export function requirementsWith(report: ConformanceReport, ...verdicts: readonly Verdict[]) {
  return report.requirements.filter((requirement) => verdicts.includes(requirement.verdict))
}

/** `id verdict: message`, for an informative comparison. */
export function lineOf({ id, verdict, message }: RequirementResult): string {
  return message === null ? `${id} ${verdict}` : `${id} ${verdict}: ${message}`
}

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'chatgen-test-'))
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
