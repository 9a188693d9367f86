import { type RequirementId, requirements } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { printable, wrap } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import {
  missingMembers,
  type Selection,
  selectRequirements,
} from '../../conformance/profile/selection.ts'
import type { Progress } from '../../conformance/progress.ts'
import { runOnTarget, type Taking } from '../results/results-folder.ts'
import { discover, refuseSmallBudget } from '../target/discovery.ts'
import type { Io } from '../terminal/io.ts'
import { showProgress } from '../terminal/progress.ts'
import { during } from '../terminal/status.ts'
import { type CheckFlags, explorationFor } from './flags.ts'

/** A check as the command line describes it. */
export interface Check {
  readonly url: string | undefined
  readonly flags: CheckFlags
  readonly io: Io
}

interface CheckRun {
  readonly selection: Selection
  readonly formats: Taking['formats']
  /** Called with the profile of the target, before anything is judged. */
  readonly onTarget: (profile: TargetProfile) => void
  /** Reason to end the run at its current results; null to go on. */
  readonly stopReason: (progress: Progress) => string | null
}

/** One run of the suites against the target of the command line, and the fields that its profile lacks. */
export async function runCheck(
  use: Check,
  { selection, formats, onTarget, stopReason }: CheckRun,
): Promise<{ readonly report: ConformanceReport; readonly missing: MissingMembers }> {
  const { flags, io } = use
  const { out, strict = false, maxRequests, seed, quiet = false } = flags
  const { target, reference = false, depth, jobs, maxGenerations } = flags
  // With a profile, nothing needs to be discovered.
  const isKnown = target !== undefined || reference
  if (!isKnown) refuseSmallBudget(maxRequests)
  const requirements = selectRequirements(selection)
  let missing: MissingMembers = new Map()
  const taking = { kind: 'conformance-report', formats } as const
  const prepare = (given: TargetProfile, requestsBefore: number) => {
    onTarget(given)
    return async (take: () => void) => {
      const { inlineEngine, runConformance } = await loadRunner()
      const found = { requirements, out, quiet, maxRequests, requestsBefore, seed }
      const { profile, requests } = isKnown
        ? { profile: given, requests: 0 }
        : await discover(given, found, io)
      missing = missingMembers(requirements, profile)
      const engine = inlineEngine()
      const progress = showProgress(io, !quiet)
      const explore = explorationFor({ ...flags, ...selection })
      const stop = new AbortController()
      return during(progress, () =>
        runConformance({
          ...{ profile, selection, outDir: out, jobs, depth, strict, engine, explore },
          ...{ maxRequests, maxGenerations, seed },
          signal: io.signal,
          stop: stop.signal,
          beforeWriting: take,
          onProgress: (now) => {
            progress.update(now)
            const reason = stopReason(now)
            if (reason !== null) stop.abort(reason)
          },
          requestsBefore: requests,
        }).finally(() => engine.close()),
      )
    }
  }
  const report = await runOnTarget(use, taking, prepare, loadRunner)
  return { report, missing }
}

const loadRunner = () => import('../../conformance/run.ts')

/** Fields that the profile lacks, with the requirements that need each. */
type MissingMembers = ReadonlyMap<string, readonly RequirementId[]>

/**
 * Lists the profile fields that an incomplete run of `chatgen check` lacks, and the commands that add
 * them; null if no required requirement lacks any.
 */
export function nextSteps(
  missing: MissingMembers,
  { url, flags: { target }, io: { width } }: Check,
): string | null {
  const waiting = [...missing]
    .map(([member, ids]) => ({
      member,
      ids: ids.filter((id) => requirements[id].level === 'required'),
    }))
    .filter(({ ids }) => ids.length > 0)
  if (waiting.length === 0) return null
  const total = waiting.reduce((sum, { ids }) => sum + ids.length, 0)
  const members = waiting.map(({ member }) => member).join(', ')
  const them = waiting.length === 1 ? 'it' : 'them'
  const summary = `${count(total, 'required requirement')} cannot be tested without ${members}`
  if (target !== undefined) return wrap(`${summary}: set ${them} in ${target}.`, width).join('\n')
  const address = url === undefined ? '' : ` ${printable(url)}`
  return [
    ...wrap(`${summary}. Set ${them} in a target profile:`, width),
    `  chatgen init${address} --out target.yaml    # then fill in the missing fields`,
    '  chatgen check --target target.yaml',
  ].join('\n')
}
