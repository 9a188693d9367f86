import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { exchangesName } from '../../conformance/defaults.ts'
import { TargetUnusableError } from '../../conformance/errors.ts'
import { type RunOptions, runConformance, type Selection } from '../../conformance/run.ts'
import type { Engine } from '../../conformance/vitest/engine.ts'
import { redRows, type TargetResult, verdictsOf } from '../verdicts.ts'
import { differs, type Fingerprint, fingerprintOf } from './fingerprint.ts'
import type { ProofTarget } from './target.ts'

export interface Attempt {
  readonly kind: TargetResult['kind']
  readonly name: string
  readonly open: () => Promise<ProofTarget>
  readonly selection: Selection
  /** Scenarios in flight; 8 where nothing is said. */
  readonly jobs?: number
  /** Makes another order of the scenarios. */
  readonly shuffle?: string
}

/** Every run has the same nonces, so that two can be compared. */
const seed = 'proof'

/** Records the server without a deviation with the scenarios of a profile. */
export async function runPlain(attempt: Attempt, engine: Engine): Promise<Fingerprint> {
  return withResults(attempt, engine, (_report, exchangesFile) => fingerprintOf(exchangesFile))
}

/**
 * Runs the suites against one target, and compares what went over the wire with the plain run.
 * A target that is unusable for a part of the surfaces is run with all: the kit ends before the first
 * scenario only where every surface refuses the key.
 */
export async function runTarget(
  attempt: Attempt,
  plain: Fingerprint,
  engine: Engine,
): Promise<TargetResult> {
  const { kind, name, selection } = attempt
  const started = Date.now()
  const result = await withResults(attempt, engine, (report, exchangesFile) => {
    if (report === undefined && selection.profile !== 'full') return undefined
    const rows = report ? verdictsOf(report) : []
    return {
      kind,
      name,
      outcome: report?.outcome ?? 'incomplete',
      rows,
      internalErrors: (report?.faults ?? []).map(
        ({ scenario, message }) => `${scenario}: ${message}`,
      ),
      // What turned a row red went over the wire, even where the comparison is blind to it (times).
      applied: kind === 'clean' || redRows({ rows }).length > 0 || differs(plain, exchangesFile),
      durationMs: Date.now() - started,
    }
  })
  if (result !== undefined) return result
  return runTarget({ ...attempt, selection: { ...selection, profile: 'full' } }, plain, engine)
}

async function withResults<T>(
  { open, selection, jobs = 8, shuffle }: Attempt,
  engine: Engine,
  read: (report: ConformanceReport | undefined, exchangesFile: string) => T,
): Promise<T> {
  const outDir = mkdtempSync(join(tmpdir(), 'chatgen-proof-'))
  const target = await open()
  try {
    const { profile } = target
    const order = shuffle === undefined ? {} : { shuffle }
    const report = await judged({
      profile,
      selection,
      outDir,
      seed,
      jobs,
      engine,
      anyAnswer: true,
      ...order,
    })
    return read(report, join(outDir, exchangesName))
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
