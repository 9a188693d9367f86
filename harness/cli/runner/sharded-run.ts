import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { reportName } from '../../conformance/defaults.ts'
import {
  ConfigurationError,
  InterruptedError,
  TargetUnusableError,
} from '../../conformance/errors.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import type { LoadOptions } from '../../load/options.ts'
import { planHash } from '../../load/plan/plan.ts'
import { requestsName } from '../../load/record.ts'
import { mergedLoad, mergeRequests } from '../load/results.ts'
import { openStored } from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'
import { jobText, shardOutputIn } from './job.ts'

export interface ShardingOptions {
  readonly runner: Runner
  readonly shards: number
  /** Time until the common start, in milliseconds. */
  readonly startInMs: number
  /** Folder of the run; shards have subfolders. */
  readonly folder: string
}

/** Time for starting, connecting and reporting, in addition to the run. */
const marginMs = 180_000

/**
 * A load run on several processes or machines, with the signature of `runLoad`: prepares the plan, starts
 * its shards by the runner, and merges their reports. Progress is not available, and single requests only at the end.
 * @throws ConfigurationError if the engine cannot run the job; TargetUnusableError if no shard reported
 */
export function shardedRun(
  options: ShardingOptions,
  io: Pick<Io, 'err' | 'write'>,
): (run: LoadOptions) => Promise<LoadReport> {
  const { runner, startInMs } = options
  return async (run) => {
    const job: PreparedJob = {
      name: `chatgen-load-${randomBytes(5).toString('hex')}`,
      text: jobText(perShard(run, options.shards)),
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

/** Limits of the whole run, divided among the shards. */
function perShard(run: LoadOptions, shards: number): LoadOptions {
  const { maxConnections, maxInFlight } = run
  return {
    ...run,
    maxInFlight: Math.ceil(maxInFlight / shards),
    ...(maxConnections === undefined ? {} : { maxConnections: Math.ceil(maxConnections / shards) }),
  }
}

function merged(
  results: readonly ShardResult[],
  { spec, signal, target, requestsFile, onRecord }: LoadOptions,
  options: ShardingOptions,
  io: Pick<Io, 'err' | 'write'>,
): LoadReport {
  const folders = foldersOf(options)
  const files = results.flatMap(({ output, reason }, at) => {
    if (output === null) {
      io.err(`chatgen: a shard has no report: ${reason}`)
      return []
    }
    const out = folders[at] ?? options.folder
    makeFolder(out)
    const { report, records } = shardOutputIn(output)
    io.write(join(out, reportName), report)
    for (const record of records) onRecord?.(record)
    return [openStored(out)]
  })
  if (files.length === 0) {
    if (signal.aborted) throw new InterruptedError('interrupted before any shard reported')
    if (results.length > 0 && results.every(({ isRefused = false }) => isRefused)) {
      throw new ConfigurationError(['--runner: the engine did not start any shard'])
    }
    throw new TargetUnusableError('E_UNREACHABLE', `${target.baseUrl}: no shard has a report`)
  }
  if (requestsFile !== undefined) {
    mergeRequests(folders, dirname(requestsFile))
  }
  const report = mergedLoad(files)
  const hash = planHash(spec)
  if (report.plan.hash === hash) return report
  throw new ConfigurationError([
    `the shards sent plan ${report.plan.hash.slice(0, 12)}, and ${hash.slice(0, 12)} was prepared: the image has another version of chatgen`,
  ])
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
