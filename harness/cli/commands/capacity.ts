import { join } from 'node:path'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import { reportToJson } from '../../../reports/text/digest.ts'
import { shorten } from '../../../reports/text/escape.ts'
import { count, figure } from '../../../reports/text/format.ts'
import type { CapacityOptions, CapacityProgress } from '../../capacity/probing/load-probe.ts'
import { reportName } from '../../conformance/defaults.ts'
import { asConfigurationError, ConfigurationError } from '../../conformance/errors.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { InputError } from '../../load/options.ts'
import { exitCodeOfMeasurement } from '../exit-codes.ts'
import { defineCommand, type FlagsOf, outFlag, outputFlags, uiFlag } from '../flags.ts'
import { searchFlags } from '../load/flags.ts'
import { liveReport, progressLine } from '../load/output/live.ts'
import { capacityKind, closeLoadJournal, openLoadJournal } from '../load/results.ts'
import { slosOf, trafficOf } from '../load/spec.ts'
import { prepareLoad } from '../load/target.ts'
import { formatsIn, publishReport, withoutSecrets } from '../results/publish-report.ts'
import { probesName, runOnTarget } from '../results/results-folder.ts'
import { runnerFlags, shardingOf, targetFlagsOf } from '../runner/flags.ts'
import { shardedRun } from '../runner/sharded-run.ts'
import type { Io } from '../terminal/io.ts'
import { showLatest } from '../terminal/progress.ts'
import { during } from '../terminal/status.ts'

function capacityFlags() {
  return [
    ...searchFlags(),
    ...runnerFlags(),
    ...outputFlags(capacityKind, 'also print every probe'),
    ...outFlag(),
    ...uiFlag(),
  ]
}

type CapacityFlags = FlagsOf<typeof capacityFlags>

const examples = `
Examples:
  $ CHATGEN_API_KEY=… chatgen capacity https://chat.example.org --slo 'ttft.p95 < 1s'
  $ chatgen capacity --target staging.yaml --slo 'ttft.p95 < 500ms' --slo 'tpot.p95 < 40ms' --mix v3
  $ chatgen capacity --target staging.yaml --slo 'e2e.p99 < 8s' --min 5 --max 200 --precision 3% --budget 1h
  $ chatgen capacity --target staging.yaml --slo 'ttft.p95 < 1s' --concurrency --max 256
  $ chatgen capacity --image chat:1.4 --port 8080 --ready /healthz --slo 'ttft.p95 < 1s'

Exit codes:
  0 the capacity was found, or every SLO is met at --max
  1 an SLO is missed at --min, or a requirement was violated under load
  2 usage or configuration
  3 target unreachable, not this service, API key rejected, or the target died during the search
  4 internal error
  5 the budget ended before the interval was narrow enough
  6 the load generator was the bottleneck (the result states the rate that it sustains)
  130 interrupted (the result is the bracket found so far)`

/** Highest load of a search, unless --max is given. */
const defaultMax = 10_000

/** `chatgen capacity`: the highest load that a deployment sustains within its SLOs. */
export const capacityCommand = defineCommand({
  args: { '[url]': 'base URL of the deployment, without /api' },
  flags: capacityFlags,
  help: examples,
  async run({ flags, io, command }, url: string | undefined) {
    const mayWiden = command.getOptionValueSource('precision') === 'default'
    // Errors in the flags are reported before anything is sent.
    shardingOf(flags, flags.out)
    const slos = await searchableSlos(flags)
    const search = { slos, spec: trafficOf(flags), mayWiden, ...rangeOf(flags) }
    const formats = formatsIn(capacityKind, flags.report)
    if (flags.ui) {
      const { runWithPage } = await import('./ui.ts')
      return runWithPage(command, url, flags, io)
    }
    const use = { url, flags: targetFlagsOf(flags), io }
    const report = await runOnTarget(use, { kind: 'capacity-report', formats }, (profile) =>
      searchOn(profile, search, flags, io),
    )
    publishReport(report, capacityKind, { ...flags, formats }, io)
    return exitCodeOfMeasurement(report)
  },
})

interface Search extends Pick<CapacityOptions, 'min' | 'max' | 'mayWiden'> {
  readonly slos: CapacityOptions['load']['slos']
  readonly spec: CapacityOptions['plan']
}

/** Prepares a search of a target; the result runs it. */
function searchOn(profile: TargetProfile, search: Search, flags: CapacityFlags, io: Io) {
  const { spec, slos, ...range } = search
  const sharding = shardingOf(flags, join(flags.out, 'shards'))
  const load = prepareLoad(profile, flags, { spec, slos, spread: flags.spread })
  const { target, setup } = load

  /** Journal and load report of one run, in `probes/007`; for a rest, only the journal. */
  const openRun: CapacityOptions['openRun'] = (index, spec) => {
    const name = join(probesName, index === null ? 'rest' : String(index).padStart(3, '0'))
    const folder = join(flags.out, name)
    const journal = openLoadJournal(folder, setup, { spec, shard: null })
    return {
      target: journal === undefined ? target : { ...target, journal },
      close: (report) => {
        const notes = closeLoadJournal(journal)
        if (report === null || index === null) return { path: null, notes }
        makeFolder(folder)
        io.write(join(folder, reportName), reportToJson(withoutSecrets(report, io)))
        return { path: `${name}/${reportName}`, notes }
      },
    }
  }

  return async (take: () => void): Promise<CapacityReport> => {
    const { runCapacity } = await import('../../capacity/run.ts')
    await load.preflight(io.signal)
    take()
    const progress = showCapacityProgress(io, !flags.quiet)
    return during(progress, () =>
      runCapacity({
        ...range,
        arrival: flags.arrival ?? 'poisson',
        loop: flags.concurrency === true ? 'closed' : 'open',
        precision: flags.precision,
        budgetMs: flags.budget,
        probeMs: flags.probe,
        headroom: flags.headroom,
        maxRestMs: flags.rest,
        onMessage: (sentence) => {
          if (!flags.quiet) io.err(`capacity: ${sentence}`)
        },
        target,
        load: load.options,
        plan: spec,
        ...(sharding === undefined ? {} : { runProbe: shardedRun(sharding, io) }),
        openRun,
        signal: io.signal,
        onProgress: progress.update,
      }),
    )
  }
}

/** @throws ConfigurationError without an SLO, or for one that defines no capacity */
async function searchableSlos({ slo = [], maxRefusals }: CapacityFlags) {
  const { probeLimits } = await import('../../capacity/probing/probe-limits.ts')
  const slos = slosOf(slo)
  if (slos.length === 0) {
    throw new ConfigurationError(["no SLO given: pass --slo, such as --slo 'ttft.p95 < 1s'"])
  }
  asConfigurationError(InputError, () => probeLimits(slos, maxRefusals), '--slo')
  return slos
}

function rangeOf({ min, max = defaultMax, concurrency, probe = 0, budget }: CapacityFlags) {
  if (probe > budget) {
    throw new ConfigurationError([
      `--probe: a probe of ${probe} ms does not fit into the --budget of ${budget} ms`,
    ])
  }
  if (min >= max) throw new ConfigurationError([`--min (${min}) must be below --max (${max})`])
  if (concurrency === true && !(Number.isInteger(min) && Number.isInteger(max))) {
    throw new ConfigurationError([
      'with --concurrency, --min and --max must be whole numbers of clients',
    ])
  }
  return { min, max }
}

/** Shows the progress of a capacity search: what is known so far, and the load run under way. */
function showCapacityProgress(io: Io, enabled: boolean) {
  const text = (latest: CapacityProgress | undefined) =>
    latest === undefined ? 'preparing' : capacityLine(latest)
  return showLatest<CapacityProgress>(io, enabled, {
    drawn: (latest, width) => shorten(text(latest), width),
    logged: (latest) => `capacity: ${text(latest)}`,
    live: (latest) => ({
      report: latest.report(),
      probe: latest.load === null ? null : liveReport(latest.load),
      text: capacityLine(latest),
    }),
  })
}

/** `probe 7 at 41.2/s, met 38.0, missed 44.1, 312 s of 1200 s; running 12 s of 40 s: …`. */
function capacityLine(progress: CapacityProgress): string {
  const { phase, elapsedMs, budgetMs, probes, rate, met, missed, load } = progress
  const now = { baseline: 'baseline', rest: 'rest', probe: `probe ${probes.length}` }[phase]
  const parts = [
    rate === null ? now : `${now} at ${figure(rate)}`,
    ...(met === null ? [] : [`met ${figure(met)}`]),
    ...(missed === null ? [] : [`missed ${figure(missed)}`]),
    `${count(Math.round(elapsedMs / 1000), 'second')} of ${Math.round(budgetMs / 1000)}`,
  ]
  return `${parts.join(', ')}${load === null ? '' : `; ${progressLine(load)}`}`
}
