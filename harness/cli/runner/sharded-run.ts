import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { asObject, isObject, parseJson } from '../../../contract/json.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { reportName, suiteVersion } from '../../conformance/defaults.ts'
import { ConfigurationError, InterruptedError } from '../../conformance/errors.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { connectionProblem, type LoadOptions } from '../../load/options.ts'
import { planHash } from '../../load/plan/plan.ts'
import { type RequestRecord, requestsName } from '../../load/record.ts'
import { limitsGaps } from '../../load/slo/slo.ts'
import type { LoadFlags } from '../load/flags.ts'
import { runShown } from '../load/output/live.ts'
import { mergedLoad, mergeRequests } from '../load/results.ts'
import { openStored } from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'
import { inputText } from '../values.ts'

export interface ShardingOptions {
  readonly runner: Runner
  readonly shards: number
  /** Time until the common start, in milliseconds. */
  readonly startInMs: number
  /** Folder of the run; shards have subfolders. */
  readonly folder: string
  /** Shards run on this machine, and write into the journal of the run. */
  readonly isLocal: boolean
}

/** Time for starting, connecting and reporting, in addition to the run. */
const marginMs = 180_000

/**
 * A load run on several processes or machines, with the signature of `runLoad`: prepares the plan, starts
 * its shards by the runner, and merges their reports. Progress is not available, and single requests only at the end.
 * @throws ConfigurationError if the engine cannot run the job; PreparationError if no shard reported
 */
export function shardedRun(
  options: ShardingOptions,
  io: Pick<Io, 'err' | 'write'>,
): (run: LoadOptions) => Promise<LoadReport> {
  const { runner, startInMs } = options
  return async (run) => {
    const job: PreparedJob = {
      name: `chatgen-load-${randomBytes(5).toString('hex')}`,
      text: jobText(perShard(run, options.shards), options),
      shards: options.shards,
      startAt: new Date(Math.max(Date.now() + startInMs, run.startAt?.getTime() ?? 0)),
      timeoutMs: startInMs + run.spec.durationNs / 1e6 + run.drainMs + marginMs,
      folder: options.folder,
      signal: run.signal,
      log: (line) => io.err(`load: ${line}`),
    }
    // A shard without results has none of an earlier run either.
    for (const folder of foldersOf(options))
      for (const name of [reportName, requestsName]) rmSync(join(folder, name), { force: true })
    const results = await runner(job)
    return merged(results, run, options, io)
  }
}

function foldersOf({ folder, shards }: ShardingOptions): readonly string[] {
  return Array.from({ length: shards }, (_, index) => join(folder, `shard-${index}`))
}

/**
 * Limits of the whole run, divided among the shards.
 * @throws ConfigurationError if too few connections are left for the workers of a shard
 */
function perShard(run: LoadOptions, shards: number): LoadOptions {
  const { maxConnections, maxInFlight } = run
  const own = { ...run, maxInFlight: Math.ceil(maxInFlight / shards) }
  if (maxConnections === undefined) return own
  const limited = { ...own, maxConnections: Math.floor(maxConnections / shards) }
  const problem = connectionProblem(limited)
  if (problem === undefined) return limited
  throw new ConfigurationError([
    `${shards} shards divide --connections ${maxConnections}: in each, ${problem}`,
  ])
}

async function merged(
  results: readonly ShardResult[],
  { spec, signal, requestsFile, onRecord }: LoadOptions,
  options: ShardingOptions,
  io: Pick<Io, 'err' | 'write'>,
): Promise<LoadReport> {
  const folders = foldersOf(options)
  const files = results.flatMap(({ output, reason }, at) => {
    const found = output === null ? null : foundIn(output)
    if (found === null) {
      io.err(`chatgen: a shard has no report: ${reason}`)
      return []
    }
    const out = folders[at] ?? options.folder
    makeFolder(out)
    io.write(join(out, reportName), found.report)
    for (const record of found.records) onRecord?.(record)
    return [openStored(out)]
  })
  if (files.length === 0) {
    if (signal.aborted) throw new InterruptedError('interrupted before any shard reported')
    if (results.length > 0 && results.every(({ isRefused = false }) => isRefused)) {
      throw new ConfigurationError(['--runner: the engine did not start any shard'])
    }
    const { PreparationError } = await import('../../load/run.ts')
    throw new PreparationError('no shard has a report')
  }
  if (requestsFile !== undefined) {
    mergeRequests(folders, dirname(requestsFile))
  }
  const report = mergedLoad(files, options.shards)
  const hash = planHash(spec)
  if (report.plan.hash === hash) return report
  throw new ConfigurationError([
    `the shards sent plan ${report.plan.hash.slice(0, 12)} instead of the prepared plan ${hash.slice(0, 12)}: the image has another version of chatgen`,
  ])
}

/** Load report and requests in the output of a shard; null if it is cut off, or says why there is no report. */
function foundIn(output: string) {
  try {
    const found = shardOutputIn(output)
    return asObject(parseJson(found.report))?.['kind'] === 'load-report' ? found : null
  } catch {
    return null
  }
}

/** A run that was prepared for several machines. */
export interface PreparedJob {
  /** Unique; letters, digits and dashes, at most 40. */
  readonly name: string
  /** Contents of the job file; it contains keys. */
  readonly text: string
  readonly shards: number
  readonly startAt: Date
  /** Timeout of the job, in milliseconds from now. */
  readonly timeoutMs: number
  /** Folder of the results of the shards. */
  readonly folder: string
  readonly signal: AbortSignal
  /** Prints a line of progress. */
  readonly log: (line: string) => void
}

/** Output of a shard, or the reason why there is none. */
export interface ShardResult {
  /** Standard output; null if it has no report. */
  readonly output: string | null
  /** Reason, if there is none. */
  readonly reason: string
  /** True if the engine did not start the shard. */
  readonly isRefused?: boolean
}

/**
 * Runs a job on an existing engine, through the client of that engine: starts all shards, waits for
 * their end, and collects their reports in any order. Leaves nothing behind.
 */
export type Runner = (job: PreparedJob) => Promise<readonly ShardResult[]>

/** A prepared run. JSON; it contains keys. */
interface LoadJob {
  readonly kind: 'load-job'
  /** Version of chatgen; a shard of another version would send another plan. */
  readonly version: string
  /** Data that a shard needs about its run: plan, target, objectives. */
  readonly options: Omit<LoadOptions, 'shard' | 'startAt' | 'signal' | 'onProgress' | 'onRecord'>
  /** True if shards also return each request, for a caller that observes them. */
  readonly records: boolean
}

/** The job of a run, as text. The journal of created chats is a file of this machine. */
function jobText(run: LoadOptions, { isLocal }: Pick<ShardingOptions, 'isLocal'>): string {
  const { shard: _, startAt: __, signal: ___, onProgress: ____, onRecord: _____, ...options } = run
  const { journal, ...shared } = options.target
  const target = isLocal && journal ? { ...shared, journal: resolve(journal) } : shared
  const job: LoadJob = {
    kind: 'load-job',
    version: suiteVersion(),
    options: { ...options, target },
    records: run.onRecord !== undefined,
  }
  return JSON.stringify(job)
}

/** @throws ConfigurationError if the text is not a job, or one of another version of chatgen */
function jobIn(text: string, file: string): LoadJob {
  const value = parseJson(text)
  if (!isLoadJob(value)) throw new ConfigurationError([`${file} is not a job of a load run`])
  const own = suiteVersion()
  if (value.version !== own) {
    throw new ConfigurationError([
      `${file} was prepared by chatgen ${value.version}, and this is ${own}: use the same version for all shards`,
    ])
  }
  return value
}

function isLoadJob(value: unknown): value is LoadJob {
  return isObject(value) && value['kind'] === 'load-job' && isObject(value['options'])
}

/**
 * One shard of a run that `--runner` prepared: its report, and its requests, null if they are not observed.
 * @throws ConfigurationError if the file is not a job, or the flags name no shard
 */
export async function runJobShard(
  file: string,
  flags: Pick<LoadFlags, 'shard' | 'startAt'> & { readonly out: string; readonly quiet?: boolean },
  io: Io,
) {
  const { shard, startAt, out, quiet = false } = flags
  if (shard === undefined) throw new ConfigurationError(['--job needs --shard I/N'])
  const text = inputText(file, '--job: cannot read the file')
  const { options, records: isObserved } = jobIn(text, file)
  const records: RequestRecord[] = []
  // Many, and otherwise only in the report.
  const hasGaps = limitsGaps(options.slos)
  const slim = (record: RequestRecord) => (hasGaps ? record : { ...record, gapsNs: [] })
  io.redact(options.target.secrets)
  makeFolder(out)
  const run = {
    ...options,
    shard,
    startAt: startAt ?? null,
    ...(options.requestsFile === undefined ? {} : { requestsFile: join(out, requestsName) }),
    ...(isObserved ? { onRecord: (record: RequestRecord) => records.push(slim(record)) } : {}),
  }
  const report = await runShown(run, { isShown: !quiet }, io)
  return { report, records: isObserved ? records : null }
}

const prefix = '#records '

export function recordsLine(records: readonly RequestRecord[]): string {
  return `${prefix}${gzipSync(JSON.stringify(records)).toString('base64')}`
}

/** Splits standard output of a shard: its report, then the requests in one line if they are observed. */
export function shardOutputIn(text: string) {
  const at = text.lastIndexOf(`\n${prefix}`)
  if (at < 0) return { report: text, records: [] }
  const packed = Buffer.from(text.slice(at + 1 + prefix.length).trim(), 'base64')
  const records: RequestRecord[] = JSON.parse(gunzipSync(packed).toString('utf8'))
  return { report: text.slice(0, at + 1), records }
}
