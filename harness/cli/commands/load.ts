import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Option } from 'commander'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { reportName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { LoadOptions } from '../../load/options.ts'
import type { PlanSpec } from '../../load/plan/plan.ts'
import { requestsName } from '../../load/record.ts'
import { exitCode, exitCodeOfMeasurement } from '../exit-codes.ts'
import {
  type CommandRun,
  defineCommand,
  type FlagsOf,
  flagTable,
  outFlag,
  outputFlags,
  uiFlag,
} from '../flags.ts'
import { loadFlags } from '../load/flags.ts'
import { loadPlan, runShown } from '../load/output/live.ts'
import {
  calibrationFile,
  closeLoadJournal,
  loadKind,
  openLoadJournal,
  storedCalibration,
  uploadReport,
  uploadUrl,
} from '../load/results.ts'
import { planOf, slosOf } from '../load/spec.ts'
import { prepareLoad } from '../load/target.ts'
import { formatsIn, publishReport } from '../results/publish-report.ts'
import { runOnTarget } from '../results/results-folder.ts'
import { runnerFlags, shardingOf, targetFlagsOf } from '../runner/flags.ts'
import { recordsLine, runJobShard, shardedRun } from '../runner/sharded-run.ts'
import { endpointsOfFlags, type TargetFlags } from '../target/target-flags.ts'
import { fitted, type Io } from '../terminal/io.ts'

function flagsOfLoad() {
  return [
    ...loadFlags(),
    ...runnerFlags(),
    ...outputFlags(loadKind, 'also print latencies by transaction'),
    ...outFlag(),
    ...flagTable(`
      --no-requests  do not write ${requestsName}, which has one line per request
      --dry-run  print the number of requests without sending any`),
    ...uiFlag(),
    ...flagTable(
      '--upload <url|file>  also upload report.json to a presigned URL (PUT); in a file, each shard has a line',
    ),
  ]
}

type LoadCommandFlags = FlagsOf<typeof flagsOfLoad> &
  TargetFlags & {
    /** File of a run that `--runner` prepared. */
    readonly job?: string
  }

const examples = `
Examples:
  $ CHATGEN_API_KEY=… chatgen load https://chat.example.org --rate 20 --duration 60s
  $ chatgen load --target staging.yaml --rate 50 --mix v3 --slo 'ttft.p95 < 500ms'
  $ chatgen load --target staging.yaml --concurrency 100 --surface v3
  $ chatgen load --target staging.yaml --ramp 0..100/60s --duration 90s
  $ chatgen load --url https://one.example.org --url https://two.example.org --rate 20 --spread sticky
  $ chatgen load --target staging.yaml --rate 400 --shard 2/8 --start-at 2026-12-01T10:00:00Z
  $ chatgen load --target staging.yaml --rate 400 --runner local --shards 4
  $ chatgen load --target staging.yaml --rate 4000 --runner kubernetes --shards 20 --image registry.example.org/chatgen
  $ chatgen load --image chat:1.4 --port 8080 --ready /healthz --rate 20
  $ chatgen load --target staging.yaml --rate 50 --report console,html,junit,prometheus
  $ chatgen load --target staging.yaml --rate 50 --dry-run

Exit codes:
  0 SLO met, no requirement violated
  1 SLO missed, a requirement violated, a response truncated, or error rate above --max-refusals
  2 usage or configuration
  3 target unreachable, not this service, or API key rejected   4 internal error
  5 too few requests to decide an SLO (the report says how many are needed), or none measured
  6 the load generator was the bottleneck   130 interrupted

A dry run sends nothing and exits with 0, or with 5 if CHATGEN_DRY_RUN requests it in a CI job.`

/** `chatgen load`: one load run. */
export const loadCommand = defineCommand({
  args: { '[url]': 'base URL of the deployment, without /api' },
  flags: flagsOfLoad,
  help: examples,
  extend: (command) =>
    command.addOption(
      new Option('--job <file>', 'send a shard of a run that --runner prepared').hideHelp(),
    ),
  async run({ flags: given, io, command }: CommandRun<LoadCommandFlags>, url: string | undefined) {
    const flags = { ...given, url: endpointsOfFlags(command, url, given.url) }
    const { out } = flags
    const upload = flags.upload === undefined ? null : uploadUrl(flags.upload, flags.shard)
    if (flags.job !== undefined) {
      const { report, records } = await runJobShard(flags.job, flags, io)
      publishReport(report, loadKind, { ...flags, formats: [] }, io)
      if (records !== null) io.out(recordsLine(records))
      // Other outcomes are decided in the merged report.
      if (report.interrupted) return exitCode.interrupted
      return report.faults.length > 0 ? exitCode.internalError : exitCode.done
    }
    if (flags.runner !== undefined && flags.shard !== undefined) {
      throw new ConfigurationError(['--runner and --shard exclude each other: pass --shards N'])
    }
    // Errors in the flags are reported before anything is sent.
    const sharding = shardingOf(flags, out)
    const load = { spec: planOf(flags), slos: slosOf(flags.slo), spread: flags.spread }
    const formats = formatsIn(loadKind, flags.report)
    if (flags.ui && !flags.dryRun) {
      const { runWithPage } = await import('./ui.ts')
      return runWithPage(command, url, flags, io)
    }
    if (flags.dryRun) {
      const plan = loadPlan(load.spec, flags.shard ?? null, flags.json)
      io.out(flags.json ? plan : fitted(plan, io))
      const { endDryRun } = await import('../check/dry-run.ts')
      return endDryRun(command, io)
    }
    const files = flags.requests ? [...formats, { file: requestsName }] : formats
    const use = { url, flags: targetFlagsOf(flags), io }
    const report = await runOnTarget(use, { kind: 'load-report', formats: files }, (profile) => {
      const prepared = prepareLoad(profile, flags, load)
      return (take) => sendLoad(prepared, { spec: load.spec, sharding, take }, flags, io)
    })
    publishReport(report, loadKind, { ...flags, formats }, io)
    if (upload !== null) await uploadReport(upload, readFileSync(join(out, reportName), 'utf8'))
    return exitCodeOfMeasurement(report)
  },
})

interface Sending {
  readonly spec: PlanSpec
  readonly sharding: ReturnType<typeof shardingOf>
  /** Prepares the results folder. */
  readonly take: () => void
}

async function sendLoad(
  { target, setup, options, preflight }: ReturnType<typeof prepareLoad>,
  { spec, sharding, take }: Sending,
  { out, requests, workers, quiet, shard }: LoadCommandFlags,
  io: Io,
): Promise<LoadReport> {
  const { runLoad, startThreads } = await import('../../load/run.ts')
  const isWhole = sharding === undefined
  const threads = startThreads(isWhole ? workers : 0)
  try {
    await preflight(io.signal)
    take()
    const journal =
      isWhole || sharding.isLocal
        ? openLoadJournal(out, setup, { spec, shard: shard ?? null })
        : undefined
    const run = {
      ...options,
      target: journal === undefined ? target : { ...target, journal },
      spec,
      ...(requests && { requestsFile: join(out, requestsName) }),
    }
    const display = {
      isShown: !quiet && isWhole,
      start: isWhole ? (all: LoadOptions) => runLoad(all, threads) : shardedRun(sharding, io),
      close: () => closeLoadJournal(journal),
    }
    const report = await runShown(run, display, io)
    const { calibrationUse } = await import('../../load/calibrate.ts')
    const calibration = calibrationUse(storedCalibration(calibrationFile(io)), report.generator)
    return { ...report, generator: { ...report.generator, calibration } }
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}
