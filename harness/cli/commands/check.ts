import type { Command } from 'commander'
import type { RequirementId } from '../../../contract/index.ts'
import { printable } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import { ConfigurationError, TargetUnusableError } from '../../conformance/errors.ts'
import { endpointsOf, type TargetProfile } from '../../conformance/profile/index.ts'
import {
  refuseUnknown,
  type Selection,
  selectRequirements,
} from '../../conformance/profile/selection.ts'
import type { Progress } from '../../conformance/progress.ts'
import {
  allowUndecided,
  countTotals,
  reportOutcome,
} from '../../conformance/report/build-report.ts'
import { failedIn, hasReport, openWatch, type Watch } from '../check/again.ts'
import { endDryRun, planFor } from '../check/dry-run.ts'
import { type CheckFlags, checkFlags, examples, explorationFor } from '../check/flags.ts'
import { checkFormats, checkKind, openBaseline, publish } from '../check/publish.ts'
import { type Check, nextSteps, runCheck } from '../check/run-check.ts'
import { type ExitCode, exitCode, exitCodeOf } from '../exit-codes.ts'
import { defineCommand } from '../flags.ts'
import { formatsIn } from '../results/publish-report.ts'
import { containerOf } from '../target/container-flags.ts'
import { withTarget } from '../target/target.ts'
import { endpointsOfFlags } from '../target/target-flags.ts'
import type { Io } from '../terminal/io.ts'

export const checkCommand = defineCommand({
  args: { '[url]': 'base URL of the deployment, without /api' },
  flags: checkFlags,
  help: examples,
  async run({ flags: given, io, command }, url: string | undefined) {
    const flags = { ...given, url: endpointsOfFlags(command, url, given.url) }
    const isNamed = url !== undefined || flags.url.length > 0 || flags.target !== undefined
    if (!isNamed && !startsTarget(flags, io)) {
      throw new ConfigurationError([
        'no target given: pass a URL, --target FILE, --image IMAGE or --reference',
      ])
    }
    refuseUnknown([...flags.only, ...flags.skip, ...flags.allowUndecided])
    if (flags.ui && !flags.dryRun) {
      const { runWithPage } = await import('./ui.ts')
      return runWithPage(command, url, flags, io)
    }
    const check = { url, flags, io, command }
    return flags.watch === undefined ? checkOnce(check) : checkAgain(check)
  },
})

/** Runs of one process. */
interface Session {
  readonly watch: Watch
  /** Null before anything failed. */
  failed: Again | null
}

/** Requirements that `--failed` checks again, and their conditions. */
interface Again {
  readonly only: readonly RequirementId[]
  readonly depth: CheckFlags['depth'] | undefined
  readonly explore: number | undefined
}

type Use = Check & { readonly command: Command }

/** Runs now and after each change, until it is interrupted. */
async function checkAgain(check: Use): Promise<ExitCode> {
  const { flags, io } = check
  const watch = openWatch(flags.watch === true ? undefined : flags.watch, flags.out)
  const session: Session = { watch, failed: null }
  let hasRun = false
  try {
    for (;;) {
      watch.reset()
      try {
        await checkOnce(check, session)
        hasRun = true
      } catch (error) {
        // The target may be starting, or a file of the run is being edited.
        const isEdited = hasRun && error instanceof ConfigurationError
        if (!isEdited && !(error instanceof TargetUnusableError)) throw error
        io.err(`chatgen: ${printable(error.message)}`)
      }
      io.err('chatgen: waiting for a change (Ctrl-C to stop)')
      const change = await watch.next(io.signal)
      if (change === null) return exitCode.interrupted
      io.err(`chatgen: ${printable(change)}`)
    }
  } finally {
    watch.close()
  }
}

async function checkOnce(given: Use, session?: Session): Promise<ExitCode> {
  const { url, io, command } = given
  const { json = false, quiet = false, failed = false, only, skip, profile } = given.flags
  const print = json ? io.err : io.out
  const formats = formatsIn(checkKind(), given.flags.report ?? checkFormats)
  const whole: Selection = { profile, only, skip }
  const again = failed ? failedBefore(whole, given.flags, session) : undefined
  if (again === null) return nothingFailed(given, print)
  const check = again === undefined ? given : { ...given, flags: flagsOf(given, again) }
  const { flags } = check
  const selection = { ...whole, only: flags.only }
  if (flags.dryRun) {
    const explore = explorationFor({ ...flags, ...selection })
    io.out(await planFor(url, flags, { selection, explore }, io))
    return endDryRun(command, io)
  }
  const baseline = openBaseline(flags, io)
  const { report, missing } = await runCheck(check, {
    selection,
    formats,
    onTarget: (profile) => {
      session?.watch.setTarget(profile.baseUrl)
      if (failed && !startsTarget(flags, io)) refuseOtherTarget(flags, profile)
    },
    stopReason: flags.failFast ? firstViolation(flags, baseline.isKnown) : () => null,
  })
  const result = baseline.judge(allowUndecided(report, flags.allowUndecided))
  publish(result, flags, io)
  const changes = baseline.update(result)
  if (changes !== null) print(changes)
  if (failed && !quiet) {
    const checked = count(selection.only.length, 'requirement')
    print(`Checked only the ${checked} that failed before: run without --failed to check all.`)
  }
  if (!quiet && result.outcome !== 'violated' && !result.interrupted) {
    const next = nextSteps(missing, check)
    if (next !== null) print(next)
  }
  return exitCodeOf(result)
}

/**
 * The part of a selection that was violated or undecided before; null if it is empty.
 * A session continues with what failed last in it.
 */
function failedBefore(
  selection: Selection,
  { out }: CheckFlags,
  session: Session | undefined,
): Again | null {
  const selected = selectRequirements(selection)
  const remembered = session?.failed ?? null
  if (remembered !== null && !hasReport(out)) return remembered
  const { ids, depth, explore } = failedIn(out)
  const only = ids.filter((id) => selected.includes(id))
  const again = only.length > 0 ? { only, depth, explore } : remembered
  if (session !== undefined) session.failed = again
  return again
}

/** Flags of a check of what failed: without its conditions, a violation would not show again. */
function flagsOf({ flags, command }: Use, { only, ...again }: Again): CheckFlags {
  const isGiven = command.getOptionValueSource('depth') !== 'default'
  const depth = isGiven ? flags.depth : (again.depth ?? flags.depth)
  return { ...flags, only: [...only], depth, explore: flags.explore ?? again.explore ?? 0 }
}

/**
 * Ends `--failed` without anything to check, by the earlier check: its internal errors and entries of the baseline that
 * excuse nothing are no requirements.
 * @throws ConfigurationError if the earlier check was of another target, or of none of this selection
 */
async function nothingFailed({ url, flags, io }: Check, print: Io['out']): Promise<ExitCode> {
  const { out } = flags
  const { report } = failedIn(out)
  const { outcome, startedAt, target } = report
  if (!startsTarget(flags, io)) {
    await withTarget(url, { ...flags, dryRun: true }, io, async (profile) => {
      refuseOtherTarget(flags, profile)
    })
  }
  const selected: readonly string[] = selectRequirements(flags)
  const requirements = report.requirements.filter(({ id }) => selected.includes(id))
  if (requirements.length === 0) refuseFailed('no results for this selection', out)
  const checked = `${count(report.requirements.length, 'requirement')} of ${target.baseUrl}`
  print(
    `Nothing in this selection was violated or undecided in ${out} (${outcome}, ${checked}, ${startedAt}).`,
  )
  const totals = countTotals(requirements, report.totals.observed)
  const own = { ...report, requirements, totals, interrupted: false, baseline: undefined }
  const judged = openBaseline(flags, io).judge({ ...own, outcome: reportOutcome(own) })
  for (const { message } of judged.baseline?.problems ?? []) print(`Baseline: ${message}`)
  if (flags.json) io.out(checkKind().toJson(judged).trimEnd())
  return exitCodeOf(judged)
}

/** Tests if the command starts its target, at another address each time. */
function startsTarget(flags: CheckFlags, { env }: Io): boolean {
  return flags.reference === true || containerOf(flags, env) !== undefined
}

/** Refuses results of another target: a part of its requirements says nothing about this one. */
function refuseOtherTarget({ out }: CheckFlags, profile: TargetProfile): void {
  const { target } = failedIn(out).report
  const before = target.endpoints?.map(({ baseUrl }) => baseUrl) ?? [target.baseUrl]
  const now = endpointsOf(profile).map(({ baseUrl }) => baseUrl)
  if (before.join() !== now.join()) refuseFailed(`results of ${before.join(' and ')}`, out)
}

function refuseFailed(what: string, out: string): never {
  throw new ConfigurationError([`--failed: ${out} has ${what}: run chatgen check without --failed`])
}

function firstViolation({ strict }: CheckFlags, isKnown: (id: string) => boolean) {
  const verdicts = strict ? ['fail', 'warn'] : ['fail']
  return ({ requirements }: Progress): string | null => {
    const first = requirements().find(
      ({ id, verdict }) => verdicts.includes(verdict) && !isKnown(id),
    )
    return first === undefined ? null : `ended at the first violation, ${first.id} (--fail-fast)`
  }
}
