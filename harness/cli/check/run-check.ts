import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import {
  missingMembers,
  type Selection,
  selectRequirements,
} from '../../conformance/profile/selection.ts'
import type { Progress } from '../../conformance/progress.ts'
import { makeOutFolder } from '../results/folder-lock.ts'
import { type Taking, withResultsFolder } from '../results/results-folder.ts'
import { withContainerRow } from '../target/container-flags.ts'
import { discover } from '../target/discovery.ts'
import { withTarget } from '../target/target.ts'
import type { Io } from '../terminal/io.ts'
import { showProgress } from '../terminal/progress.ts'
import type { CheckFlags } from './flags.ts'
import { explorationFor } from './flags.ts'
import type { MissingMembers } from './next-steps.ts'

export interface CheckRun {
  readonly selection: Selection
  readonly formats: Taking['formats']
  /** Called with the profile of the target, before anything is judged. */
  readonly onTarget: (profile: TargetProfile) => void
  /** Reason to end the run at its current results; null to go on. */
  readonly stopReason: (progress: Progress) => string | null
}

/** One run of the suites against the target of the command line. */
export function runCheck(
  url: string | undefined,
  flags: CheckFlags,
  run: CheckRun,
  io: Io,
): Promise<{ readonly report: ConformanceReport; readonly missing: MissingMembers }> {
  const { out } = flags
  const taking = { kind: 'conformance-report', formats: run.formats } as const
  return withTarget(
    url,
    { ...flags, beforeSending: () => makeOutFolder(out) },
    io,
    async (profile, container) => {
      run.onTarget(profile)
      makeOutFolder(out)
      const checked = await withResultsFolder(out, taking, io, (take) =>
        judge(profile, flags, { ...run, take }, io),
      )
      return { ...checked, report: await withContainerRow(checked.report, container) }
    },
    loadRunner,
  )
}

async function judge(
  given: TargetProfile,
  flags: CheckFlags,
  { selection, stopReason, take }: CheckRun & { readonly take: () => void },
  io: Io,
) {
  const {
    out,
    jobs,
    depth,
    strict = false,
    maxRequests,
    maxGenerations,
    seed,
    quiet = false,
  } = flags
  const requirements = selectRequirements(selection)
  const { inlineEngine, runConformance } = await loadRunner()
  const isKnown = flags.target !== undefined || flags.reference === true
  const { profile, requests } = isKnown
    ? { profile: given, requests: 0 }
    : await discover(given, { requirements, out, quiet, maxRequests, seed }, io)
  const engine = inlineEngine()
  const progress = showProgress(io, !quiet)
  const exploration = await explorationFor({ ...flags, ...selection })
  const stop = new AbortController()
  try {
    const report = await runConformance({
      profile,
      selection,
      outDir: out,
      jobs,
      depth,
      maxGenerations,
      strict,
      engine,
      signal: io.signal,
      stop: stop.signal,
      beforeWriting: take,
      onProgress: (now) => {
        progress.update(now)
        const reason = stopReason(now)
        if (reason !== null) stop.abort(reason)
      },
      ...(maxRequests === undefined ? {} : { maxRequests: maxRequests - requests }),
      ...(seed === undefined ? {} : { seed }),
      ...(exploration === undefined ? {} : { exploration }),
    })
    return { report, missing: missingMembers(requirements, profile) }
  } finally {
    await engine.close()
    progress.stop()
  }
}

const loadRunner = () => import('../../conformance/run.ts')
