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
import { makeOutFolder } from '../results/folder-lock.ts'
import { type Taking, withResultsFolder } from '../results/results-folder.ts'
import { withContainerRow } from '../target/container-flags.ts'
import { discover, refuseSmallBudget } from '../target/discovery.ts'
import { withTarget } from '../target/target.ts'
import type { Io } from '../terminal/io.ts'
import { showProgress } from '../terminal/progress.ts'
import { type CheckFlags, explorationFor } from './flags.ts'

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
  if (!isKnown(flags)) refuseSmallBudget(flags.maxRequests)
  let requestsBefore = 0
  const onLocated = (requests: number) => {
    requestsBefore = requests
  }
  const taking = { kind: 'conformance-report', formats: run.formats } as const
  return withTarget(
    url,
    { ...flags, beforeSending: () => makeOutFolder(out), onLocated },
    io,
    async (profile, container) => {
      run.onTarget(profile)
      makeOutFolder(out)
      const checked = await withResultsFolder(out, taking, io, (take) =>
        judge(profile, flags, { ...run, take, requestsBefore }, io),
      )
      return { ...checked, report: await withContainerRow(checked.report, container) }
    },
    loadRunner,
  )
}

/** Tests if the target has a profile, so that nothing needs to be discovered. */
function isKnown({ target, reference = false }: CheckFlags): boolean {
  return target !== undefined || reference
}

async function judge(
  given: TargetProfile,
  flags: CheckFlags,
  run: CheckRun & { readonly take: () => void; readonly requestsBefore: number },
  io: Io,
) {
  const { out, strict = false, maxRequests, seed, quiet = false } = flags
  const { selection, requestsBefore } = run
  const requirements = selectRequirements(selection)
  const { inlineEngine, runConformance } = await loadRunner()
  const { profile, requests } = isKnown(flags)
    ? { profile: given, requests: 0 }
    : await discover(given, { requirements, out, quiet, maxRequests, requestsBefore, seed }, io)
  const engine = inlineEngine()
  const progress = showProgress(io, !quiet)
  const exploration = await explorationFor({ ...flags, ...selection })
  const stop = new AbortController()
  try {
    const report = await runConformance({
      profile,
      selection,
      outDir: out,
      jobs: flags.jobs,
      depth: flags.depth,
      maxGenerations: flags.maxGenerations,
      strict,
      engine,
      signal: io.signal,
      stop: stop.signal,
      beforeWriting: run.take,
      onProgress: (now) => {
        progress.update(now)
        const reason = run.stopReason(now)
        if (reason !== null) stop.abort(reason)
      },
      requestsBefore: requests,
      ...(maxRequests === undefined ? {} : { maxRequests }),
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

/** Fields that the profile lacks, with the requirements that need each. */
type MissingMembers = ReadonlyMap<string, readonly RequirementId[]>

/**
 * Lists the profile fields that an incomplete run of `chatgen check` lacks, and the commands that add
 * them; null if no required requirement lacks any.
 */
export function nextSteps(
  missing: MissingMembers,
  url: string | undefined,
  { target }: CheckFlags,
  { width }: Io,
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
