import { hash } from 'node:crypto'
import { Option } from 'commander'
import { count } from '../../../contract/text.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import { asConfigurationError, ConfigurationError } from '../../conformance/errors.ts'
import { maxStoredBytes } from '../../conformance/input-file.ts'
import { InputError } from '../../load/options.ts'
import { TraceSyntaxError } from '../../load/plan/arrival-times.ts'
import { type Measurement, type PlannedDemand, parseDemand, parsePrice } from '../../plan/demand.ts'
import { readDemandTrace } from '../../plan/trace.ts'
import { exitCode, outcomeCodes } from '../exit-codes.ts'
import { defineCommand, flagTable, outFlag, outputFlags } from '../flags.ts'
import { planKind } from '../load/results.ts'
import { slosOf } from '../load/spec.ts'
import { makeOutFolder } from '../results/folder-lock.ts'
import { formatsIn, publishReport } from '../results/publish-report.ts'
import { anyEdited, capacityIn, doubtLines, openStored } from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'
import { expressions, inputText, positiveInteger, seed } from '../values.ts'

const examples = `
Examples:
  $ chatgen capacity --target one-replica.yaml --slo 'ttft.p95 < 1s' --out capacity
  $ chatgen plan --from capacity --demand 'concurrency=600' --slo 'ttft.p95 < 1s'
  $ chatgen plan --from capacity --demand 'rate=90/s' --slo 'ttft.p95 < 1s' --price 2.40/h
  $ chatgen plan --from capacity --demand day.csv --slo 'ttft.p95 < 1s' --report console,html
  $ chatgen plan --from one --from three --sizes 1,3 --demand 'rate=90/s' --slo 'ttft.p95 < 1s'

A trace is CSV with a header row: "at" (seconds, 14:30, or date and time) and either "rate" (requests per
second until the next row) or "requests" (their number until then); or one request per row, with "prompt"
and "answer" in tokens if known. JSON lines have the format of chatgen load --replay, or are requests.ndjson
of a load run. The plan is for the hour with the most requests. Nothing is sent.

Exit codes:
  0 planned
  1 no number of replicas meets the SLOs
  2 usage, not a capacity report, a demand or a trace that cannot be read, an SLO that was not measured,
    measurements with different SLOs, mixes or loops, or a capacity report that was edited after its run
  5 a measurement is undecided, so the plan is provisional; there is no plan, because fewer than two rates were
    measured or the requests do not separate the times of an iteration, a sequence and a prompt;
    or the service model does not reproduce the measurement, so the plan is not reliable
  6 a measurement is invalid, because the load generator was the bottleneck: no plan`

/** `chatgen plan`: replicas for a demand, from measured capacity. */
export const planCommand = defineCommand({
  flags: () => [
    ...flagTable(
      `
      --from <file>:list  results of chatgen capacity; required; repeatable, one per replica count
      --sizes <numbers>  replicas of each measurement (default: 1, 2, … in the order of --from)
      --demand <demand>  demand to plan for; required: concurrency=600, rate=90/s, or a trace file
      --slo <expression>?those of the measurement  objective, e.g. 'ttft.p95 < 500ms'; repeatable
      --replicas <number>:n  also assess this number of replicas
      --price <price>  price per replica, e.g. 2.40/h
      --balance <method>=round-robin  load-balancing method
      --seed <text>=plan @plan  seed of the simulation`,
      {
        ...{ numbers, expression: expressions, text: seed },
        method: ['round-robin', 'least-connections'],
      },
    ),
    ...outputFlags(planKind, 'also print how well the model reproduces the measurement'),
    ...outFlag(),
  ],
  help: examples,
  extend: (command) =>
    command.addOption(
      new Option('--capacity [file]')
        .preset('file')
        .argParser(() => command.error('error: pass a capacity report with --from FILE'))
        .hideHelp(),
    ),
  async run({ flags, io }) {
    const formats = formatsIn(planKind, flags.report)
    const { measurements, isEdited } = openMeasurements(flags.from ?? [], flags.sizes, io)
    if (flags.demand === undefined) {
      throw new ConfigurationError([
        "no demand given: pass --demand 'concurrency=600', 'rate=90/s' or a trace file",
      ])
    }
    const slos = slosOf(flags.slo.length > 0 ? flags.slo : measurements[0].report.config.slos)
    if (slos.length === 0) {
      throw new ConfigurationError(["no SLO given: pass --slo, such as --slo 'ttft.p95 < 1s'"])
    }
    const demand = demandOf(flags.demand)
    const price = flags.price === undefined ? null : parsed('--price', flags.price, parsePrice)
    const options = { ...flags, measurements, demand, slos, price, assess: flags.replicas ?? null }
    const report = await planned(options, io)
    if (report === null) return isEdited ? exitCode.usage : exitCode.incomplete
    makeOutFolder(flags.out)
    publishReport(report, planKind, { ...flags, formats }, io)
    return isEdited ? exitCode.usage : outcomeCodes[report.outcome]
  },
})

type Planned = Omit<
  Parameters<typeof import('../../plan/make-plan.ts').makePlan>[0],
  'suite' | 'createdAt'
>

/**
 * The plan; null if too little was measured, which is printed.
 * @throws ConfigurationError for an SLO that cannot be predicted
 */
async function planned(options: Planned, io: Pick<Io, 'err'>) {
  const { makePlan } = await import('../../plan/make-plan.ts')
  const { UnfittedRunError } = await import('../../plan/fit/fit.ts')
  const { interfaceRevision, suiteVersion } = await import('../../conformance/defaults.ts')
  const suite = { version: suiteVersion(), interface: interfaceRevision }
  const make = () => makePlan({ ...options, suite, createdAt: new Date() })
  try {
    return asConfigurationError(InputError, make, '--slo')
  } catch (error) {
    if (!(error instanceof UnfittedRunError)) throw error
    io.err(`chatgen: ${options.measurements[0].file}: ${error.message}`)
    return null
  }
}

function numbers(text: string): number[] {
  return text.split(',').map((part) => positiveInteger(part.trim()))
}

/** @throws ConfigurationError that names the line of a trace which cannot be read */
function demandOf(given: string): PlannedDemand {
  const demand = parsed('--demand', given, parseDemand)
  if (demand.kind !== 'file') return demand
  const { path } = demand
  const text = inputText(path, `--demand: cannot read ${path}`, maxStoredBytes)
  const trace = asConfigurationError(
    TraceSyntaxError,
    () => readDemandTrace(text),
    ({ line, message }) => `${path}:${line}: ${message}`,
  )
  if (trace.requests > 0) return { kind: 'trace', file: path, trace }
  throw new ConfigurationError([`${path} contains no requests`])
}

function parsed<Value>(flag: string, text: string, parse: (text: string) => Value): Value {
  return asConfigurationError(InputError, () => parse(text), flag)
}

/**
 * Opens the capacity reports of `--from`, each with the number of replicas that it measured.
 * @throws ConfigurationError for a file that is not a capacity report, and for sizes that do not match
 */
function openMeasurements(paths: readonly string[], sizes: readonly number[] | undefined, io: Io) {
  if (sizes !== undefined && sizes.length !== paths.length) {
    throw new ConfigurationError([
      `--sizes has ${count(sizes.length, 'number')}, and --from ${count(paths.length, 'file')}: give one number for each file`,
    ])
  }
  if (sizes !== undefined && new Set(sizes).size < sizes.length) {
    throw new ConfigurationError(['--sizes: two measurements have the same number of replicas'])
  }
  const files = paths.map(openStored)
  for (const line of doubtLines(files)) io.err(line)
  const measurements = files.map((stored, at): Measurement => {
    const report = capacityIn(stored)
    if (report.probes.length === 0) {
      throw new ConfigurationError([
        `${stored.file} has no probes: its search ended before the first one`,
      ])
    }
    return { file: stored.file, replicas: sizes?.[at] ?? at + 1, report }
  })
  if (sizes === undefined && measurements.length > 1) {
    const list = measurements.map(({ file, replicas }) => `${file} ${replicas}`).join(', ')
    io.err(
      `chatgen: replicas of each measurement, in the order of --from: ${list} (--sizes sets them)`,
    )
  }
  const [first, ...rest] = measurements
  if (first === undefined) throw new ConfigurationError(['no measurement given: pass --from FILE'])
  for (const other of rest) checkComparable(first, other)
  return { measurements: [first, ...rest] as const, isEdited: anyEdited(files) }
}

/** @throws ConfigurationError if a difference between two capacities may have another reason than their replicas */
function checkComparable(first: Measurement, other: Measurement): void {
  const differences = [
    ['--slo', ({ report }: Measurement) => report.config.slos.toSorted().join(', ') || 'none'],
    ['--mix', ({ report }: Measurement) => mixText(report.config)],
    ['loop', ({ report }: Measurement) => report.loop],
  ] as const
  for (const [name, read] of differences) {
    const [one, another] = [read(first), read(other)]
    if (one === another) continue
    throw new ConfigurationError([
      `${first.file} was measured with ${name} ${one}, and ${other.file} with ${another}: measure each number of replicas with the same ${name}, or plan from one of them`,
    ])
  }
}

/** A mix by its name and content: two files may have the same name. */
function mixText({ mixName, mix }: CapacityReport['config']): string {
  return `${mixName} ${hash('sha256', JSON.stringify(mix)).slice(0, 8)}`
}
