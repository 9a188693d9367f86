import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { defaultJobs } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { isExplorable } from '../../conformance/exploration.ts'
import { missingMembers } from '../../conformance/profile/applicability.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import {
  type ProfileName,
  profileNames,
  type Selection,
  selectRows,
} from '../../conformance/profile/selection.ts'
import { type Depth, depths } from '../../conformance/run-setup.ts'
import { type BaselineFlags, openBaseline } from '../check/baseline.ts'
import { endDryRun } from '../check/dry-run.ts'
import { defaultOperations, explorationFor } from '../check/exploration.ts'
import { type MissingMembers, nextSteps } from '../check/next-steps.ts'
import { planText } from '../check/plan-text.ts'
import { publish } from '../check/publish.ts'
import { checkFormats, checkKind, defaultsText } from '../check/report-formats.ts'
import type { AddCommand } from '../command.ts'
import { exitCodeOf } from '../exit-codes.ts'
import {
  addOutputFlags,
  flag,
  list,
  outFlag,
  positiveInteger,
  seed as seedText,
  wholeNumber,
} from '../flags.ts'
import { formatsIn } from '../results/formats.ts'
import { makeOutFolder } from '../results/out-folder.ts'
import { type Taking, withResultsFolder } from '../results/results-folder.ts'
import { withContainerRow } from '../target/container.ts'
import { addContainerFlags, containerOf, withoutContainer } from '../target/container-flags.ts'
import { discover } from '../target/discovery.ts'
import { type TargetFlags, withTarget } from '../target/target.ts'
import { addTargetFlags, endpointFlag, endpointsOfFlags } from '../target/target-flags.ts'
import type { Io } from '../terminal/io.ts'
import { showProgress } from '../terminal/progress.ts'

interface CheckFlags extends TargetFlags, BaselineFlags {
  readonly profile: ProfileName
  readonly only: readonly string[]
  readonly skip: readonly string[]
  readonly jobs: number
  readonly depth: Depth
  readonly maxRequests?: number
  readonly explore?: number
  readonly out: string
  readonly seed?: string
  readonly strict?: boolean
  readonly dryRun?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly color: boolean
  readonly report?: readonly string[]
}

const examples = `
Examples:
  $ chatgen check --reference
  $ CHATGEN_API_KEY=… chatgen check https://chat.example.org
  $ chatgen check --target staging.yaml --profile v3 --out results
  $ chatgen check --target staging.yaml --only 'V3-IDEM-*' --only OAI-AUTH
  $ chatgen check --target staging.yaml --explore 1000 --seed nightly-7
  $ chatgen check --target staging.yaml --explore 0
  $ chatgen check --target staging.yaml --dry-run
  $ chatgen check --url http://10.0.0.1:8080 --url http://10.0.0.2:8080 --target staging.yaml
  $ chatgen check --target staging.yaml --baseline known.yaml --report console,junit
  $ chatgen check --image registry.example.org/chat:1.4 --port 8080 --env MODEL=small --ready /healthz
  $ chatgen check --compose compose.yaml --service chat --port 8080 --target profile.yaml

Exit codes:
  0 conforms   1 a requirement is violated   2 usage or configuration
  3 target unreachable, not this service, or API key rejected   4 internal error
  5 nothing violated, but a required requirement is undecided   130 interrupted

Limits in the target profile bound each response, each wait and the whole run, e.g. limits.bodyBytes
(8 MiB) and limits.runMs (4 hours). A requirement whose test exceeds a limit is inconclusive. All
limits: docs/limits.md

A dry run sends nothing and exits with 0, or with 5 if CHATGEN_DRY_RUN requests it in a CI job.`

export const checkCommand: AddCommand = (program, io, finish) => {
  const command = program
    .command('check')
    .argument('[url]', 'base URL of the deployment, without /api')
    .addOption(flag('--reference', 'start the bundled reference server and check it'))
  addContainerFlags(addTargetFlags(command.addOption(endpointFlag())))
    .addOption(flag('--profile <name>', 'surfaces to check').choices(profileNames).default('full'))
    .addOption(
      flag('--only <glob>', 'requirement ids, areas or titles; repeatable')
        .argParser(list)
        .default([], 'all'),
    )
    .addOption(
      flag('--skip <glob>', 'requirements to skip, as for --only')
        .argParser(list)
        .default([], 'none'),
    )
    .addOption(
      flag('--depth <name>', 'full also tries each pair of conditions of a request')
        .choices(depths)
        .default('normal'),
    )
    .addOption(
      flag('--jobs <n>', 'number of concurrent scenarios')
        .argParser(positiveInteger)
        .default(defaultJobs),
    )
    .addOption(
      flag('--max-requests <n>', 'maximum number of requests, cleanup included').argParser(
        positiveInteger,
      ),
    )
    .addOption(
      flag(
        '--explore <n>',
        `operations of random sequences after the suites; 0 for none (default: ${defaultOperations} in profile full without --only)`,
      ).argParser(wholeNumber),
    )
    .addOption(flag('--baseline <file>', 'known violations, YAML or JSON'))
    .addOption(
      flag('--update-baseline', 'write the current violations to the baseline, for review'),
    )
    .addOption(outFlag())
    .addOption(flag('--seed <text>', 'seed of generated names and nonces').argParser(seedText))
    .addOption(flag('--strict', 'count warnings as violations'))
    .addOption(flag('--dry-run', 'print the number of requests without sending any'))
  addOutputFlags(command, checkKind, 'list everything, with all evidence', {
    defaults: defaultsText,
  })
    .addHelpText('after', examples)
    .action(async (url: string | undefined, given: CheckFlags) => {
      const flags = { ...given, url: endpointsOfFlags(command, url, given.url) }
      const { only, skip, profile } = flags
      const isNamed = url !== undefined || flags.url.length > 0 || flags.target !== undefined
      const container = containerOf(flags, io.env)
      if (!isNamed && !flags.reference && container === undefined) {
        throw new ConfigurationError([
          'no target given: pass a URL, --target FILE, --image IMAGE or --reference',
        ])
      }
      const formats = formatsIn(checkKind, flags.report ?? checkFormats)
      const selection: Selection = { profile, only, skip }
      if (flags.dryRun) {
        const { judgedRows, planConformance } = await import('../../conformance/plan.ts')
        const exploration = await explorationFor(flags)
        // A dry run starts no container.
        const planned = container === undefined ? flags : withoutContainer(flags)
        const address = container === undefined ? url : `http://127.0.0.1:${container.port}`
        const text = await withTarget(address, planned, io, async (profile) => {
          const scenarios = await planConformance(profile, selection)
          const isExplored =
            exploration && isExplorable(exploration, judgedRows(selection, profile))
          return planText(scenarios, {
            ...(isExplored && { exploration }),
            selection,
            limits: profile.limits,
            jobs: flags.jobs,
            width: io.width,
          })
        })
        io.out(text)
        finish(endDryRun(command, io))
        return
      }
      const baseline = openBaseline(flags, io)
      const checked = await check(url, flags, { selection, formats }, io)
      const result = baseline.judge(checked.report)
      const { json = false, quiet = false } = flags
      publish(result, flags, io)
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
  const { out, jobs, depth, strict, maxRequests, seed, quiet = false } = flags
  const taking = { kind: 'conformance-report', formats } as const
  const run = async (given: TargetProfile, take: () => void) => {
    const rows = selectRows(selection)
    const { inlineEngine, singleRunEngine, runConformance } = await loadRunner()
    const isKnown = flags.target !== undefined || flags.reference === true
    const { profile, requests } = isKnown
      ? { profile: given, requests: 0 }
      : await discover(given, { rows, out, quiet, maxRequests, seed }, io)
    // Violations of several endpoints are run again on each of them.
    const engine = profile.baseUrls === undefined ? singleRunEngine() : inlineEngine()
    const progress = showProgress(io, !flags.quiet)
    const exploration = await explorationFor(flags)
    try {
      const report = await runConformance({
        profile,
        selection,
        outDir: out,
        jobs,
        depth,
        strict: strict ?? false,
        engine,
        signal: io.signal,
        beforeWriting: take,
        onProgress: progress.update,
        ...(maxRequests === undefined ? {} : { maxRequests: maxRequests - requests }),
        ...(seed === undefined ? {} : { seed }),
        ...(exploration === undefined ? {} : { exploration }),
      })
      return { report, missing: missingMembers(rows, profile) }
    } finally {
      await engine.close()
      progress.stop()
    }
  }
  return withTarget(
    url,
    flags,
    io,
    async (profile, container) => {
      makeOutFolder(out)
      const checked = await withResultsFolder(out, taking, io, (take) => run(profile, take))
      return { ...checked, report: await withContainerRow(checked.report, container) }
    },
    loadRunner,
  )
}

const loadRunner = () => import('../../conformance/run.ts')
