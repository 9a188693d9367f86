import type { Command } from 'commander'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { defaultJobs } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { missingMembers } from '../../conformance/profile/applicability.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import {
  type ProfileName,
  profileNames,
  type Selection,
  selectRows,
} from '../../conformance/profile/selection.ts'
import { type BaselineFlags, openBaseline } from '../check/baseline.ts'
import { endDryRun } from '../check/dry-run.ts'
import { type MissingMembers, nextSteps } from '../check/next-steps.ts'
import { planText } from '../check/plan-text.ts'
import { publish } from '../check/publish.ts'
import { defaultFormats, formatNames, formatsOf } from '../check/report-formats.ts'
import type { AddCommand } from '../command.ts'
import { exitCodeOf } from '../exit-codes.ts'
import { flag, keyEnvFlag, list, positiveInteger, seed as seedText } from '../flags.ts'
import { makeOutFolder } from '../results/out-folder.ts'
import { type Taking, withResultsFolder } from '../results/results-folder.ts'
import { discover } from '../target/discovery.ts'
import { addNetworkFlags } from '../target/network-flags.ts'
import { type TargetFlags, withTarget } from '../target/target.ts'
import type { Io } from '../terminal/io.ts'
import { showProgress } from '../terminal/progress.ts'

interface CheckFlags extends TargetFlags, BaselineFlags {
  readonly profile: ProfileName
  readonly only: readonly string[]
  readonly skip: readonly string[]
  readonly jobs: number
  readonly maxRequests?: number
  readonly out: string
  readonly seed?: string
  readonly strict?: boolean
  readonly dryRun?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly color: boolean
  readonly report?: readonly string[]
}

const examples = `
Examples:
  $ chatgen check --reference
  $ CHATGEN_API_KEY=… chatgen check https://chat.example.org
  $ chatgen check --target staging.yaml --profile v3 --out results
  $ chatgen check --target staging.yaml --only 'V3-IDEM-*' --only OAI-AUTH
  $ chatgen check --target staging.yaml --dry-run
  $ chatgen check --target staging.yaml --baseline known.yaml --report console,junit

Exit codes:
  0 conforms   1 a requirement is violated   2 usage or configuration
  3 target unreachable, no such service, or it refuses the key   4 a fault of the kit
  5 nothing violated, but a required row is undecided   130 interrupted

What an answer, a wait and the whole run may take is bounded by limits in the profile, such as
limits.runMs (4 hours) and limits.bodyBytes (8 MiB); passing one leaves rows inconclusive. All of
them: docs/limits.md

A dry run checks nothing and ends with 0; where CHATGEN_DRY_RUN asks for it in a CI job, with 5.`

export const checkCommand: AddCommand = (program, io, finish) => {
  const command: Command = program
    .command('check')
    .description('run the conformance suites against a deployment')
    .argument('[url]', 'base address of the deployment, without /api')
    .addOption(flag('--reference', 'start the bundled reference server and check it'))
    .addOption(flag('--target <file>', 'target profile, YAML or JSON'))
    .addOption(keyEnvFlag())
    .addOption(flag('--profile <name>', 'surfaces to check').choices(profileNames).default('full'))
    .addOption(
      flag('--only <glob>', 'requirement ids, areas or titles; may be repeated')
        .argParser(list)
        .default([]),
    )
    .addOption(flag('--skip <glob>', 'the same, to leave out').argParser(list).default([]))
    .addOption(
      flag('--jobs <n>', 'scenarios in flight').argParser(positiveInteger).default(defaultJobs),
    )
    .addOption(flag('--timeout <ms>', 'longest silence of the target').argParser(positiveInteger))
    .addOption(
      flag('--max-requests <n>', 'ask for no more in all, tidying up included').argParser(
        positiveInteger,
      ),
    )
    .addOption(flag('--baseline <file>', 'known violations, YAML or JSON'))
    .addOption(flag('--update-baseline', 'write what is violated now to the baseline, for review'))
    .addOption(flag('--out <dir>', 'folder for the results').default('chatgen-results'))
    .addOption(
      flag('--report <formats>', `what to print and write: ${formatNames.join(', ')}`).argParser(
        list,
      ),
    )
    .addOption(flag('--seed <text>', 'makes the same nonces again').argParser(seedText))
    .addOption(flag('--strict', 'count warnings as violations'))
    .addOption(flag('--dry-run', 'say what would be asked of the target, in numbers'))
    .addOption(flag('--json', 'print report.json on standard output'))
    .addOption(flag('--quiet', 'print the outcome only'))
    .addOption(flag('--no-color', 'no colours'))
    .addHelpText('after', examples)
  addNetworkFlags(command).action(async (url: string | undefined, flags: CheckFlags) => {
    const { only, skip, profile } = flags
    if (url === undefined && flags.target === undefined && !flags.reference) {
      throw new ConfigurationError(['nothing to check: pass a URL, --target FILE or --reference'])
    }
    const formats = formatsOf(flags.report ?? defaultFormats)
    const selection: Selection = { profile, only, skip }
    if (flags.dryRun) {
      const { planConformance } = await import('../../conformance/run.ts')
      const text = await withTarget(url, flags, io, async (profile) =>
        planText(await planConformance(profile, selection), {
          selection,
          limits: profile.limits,
          jobs: flags.jobs,
          width: io.width,
        }),
      )
      io.out(text)
      finish(endDryRun(command, io))
      return
    }
    const baseline = openBaseline(flags, io)
    const checked = await check(url, flags, { selection, formats }, io)
    const result = baseline.judge(checked.report)
    const { out, color, json = false, quiet = false } = flags
    publish(result, { formats, out, color, json, quiet }, io)
    const changes = baseline.update(result)
    if (changes !== null) (json ? io.err : io.out)(changes)
    if (!quiet && result.outcome !== 'violated' && !result.interrupted) {
      const next = nextSteps(checked.missing, {
        url,
        target: flags.target,
        width: io.width,
      })
      if (next !== null) (json ? io.err : io.out)(next)
    }
    finish(exitCodeOf(result))
  })
}

function check(
  url: string | undefined,
  flags: CheckFlags,
  { selection, formats }: { readonly selection: Selection; readonly formats: Taking['formats'] },
  io: Io,
): Promise<{ readonly report: ConformanceReport; readonly missing: MissingMembers }> {
  const { out, jobs, strict, maxRequests, seed, quiet = false } = flags
  const taking = { kind: 'conformance-report', formats } as const
  const run = async (given: TargetProfile, take: () => void) => {
    const rows = selectRows(selection)
    const { inlineEngine, runConformance } = await import('../../conformance/run.ts')
    const isKnown = flags.target !== undefined || flags.reference === true
    const { profile, requests } =
      isKnown || missingMembers(rows, given).size === 0
        ? { profile: given, requests: 0 }
        : await discover(given, { selection, out, quiet, maxRequests, seed }, io)
    const engine = inlineEngine()
    const progress = showProgress(io, !flags.quiet)
    try {
      const report = await runConformance({
        profile,
        selection,
        outDir: out,
        jobs,
        strict: strict ?? false,
        engine,
        signal: io.signal,
        beforeWriting: take,
        onProgress: progress.update,
        ...(maxRequests === undefined ? {} : { maxRequests: maxRequests - requests }),
        ...(seed === undefined ? {} : { seed }),
      })
      return { report, missing: missingMembers(rows, profile) }
    } finally {
      await engine.close()
      progress.stop()
    }
  }
  return withTarget(url, flags, io, (profile) => {
    makeOutFolder(out)
    return withResultsFolder(out, taking, io, (take) => run(profile, take))
  })
}
