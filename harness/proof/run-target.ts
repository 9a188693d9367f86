import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConformanceReport } from '../../reports/model.ts'
import { TargetUnusableError } from '../conformance/errors.ts'
import { type RunOptions, runConformance, type Selection } from '../conformance/run.ts'
import { differs, type Fingerprint, fingerprintOf } from './fingerprint.ts'
import type { ProofTarget } from './target.ts'
import { type TargetResult, verdictsOf } from './verdicts.ts'

export interface Attempt {
  readonly kind: TargetResult['kind']
  readonly name: string
  readonly open: () => Promise<ProofTarget>
  readonly selection: Selection
}

/** Every run has the same nonces, so that two can be compared. */
const seed = 'proof'

/** Runs the suites against one target; `plain` is the run of the server without deviation. */
export async function runTarget(
  attempt: Attempt,
  plain: Fingerprint | undefined,
): Promise<{ result: TargetResult; fingerprint: Fingerprint }> {
  const { kind, name, selection } = attempt
  const outDir = mkdtempSync(join(tmpdir(), 'chatgen-proof-'))
  const target = await attempt.open()
  const started = Date.now()
  try {
    const report = await judged({ profile: target.profile, selection, outDir, seed, jobs: 8 })
    const fingerprint = fingerprintOf(join(outDir, 'exchanges.ndjson'))
    const result: TargetResult = {
      kind,
      name,
      outcome: report?.outcome ?? 'incomplete',
      rows: report ? verdictsOf(report) : [],
      kitFaults: (report?.faults ?? []).map(({ scenario, message }) => `${scenario}: ${message}`),
      applied: plain === undefined || differs(plain, fingerprint),
      durationMs: Date.now() - started,
    }
    return { result, fingerprint }
  } finally {
    await target.close()
    rmSync(outDir, { recursive: true, force: true })
  }
}

/** Undefined where the target was found unusable before anything was judged. */
async function judged(options: RunOptions): Promise<ConformanceReport | undefined> {
  try {
    return await runConformance(options)
  } catch (error) {
    if (error instanceof TargetUnusableError) return undefined
    throw error
  }
}
