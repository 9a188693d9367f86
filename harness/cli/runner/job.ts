import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { isObject, parseJson } from '../../../contract/json.ts'
import { suiteVersion } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import type { LoadOptions } from '../../load/options.ts'
import { type RequestRecord, requestsName } from '../../load/record.ts'
import type { LoadFlags } from '../load/flags.ts'
import { runShown } from '../load/output/live.ts'
import type { Io } from '../terminal/io.ts'
import { inputText } from '../values.ts'

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

/** The job of a run, as text. The journal of created chats is a file of this machine and left out. */
export function jobText(run: LoadOptions): string {
  const { shard: _, startAt: __, signal: ___, onProgress: ____, onRecord: _____, ...options } = run
  const { journal: ______, ...target } = options.target
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
  io.redact(options.target.secrets)
  makeFolder(out)
  const run = {
    ...options,
    shard,
    startAt: startAt ?? null,
    ...(options.requestsFile === undefined ? {} : { requestsFile: join(out, requestsName) }),
    ...(isObserved ? { onRecord: (record: RequestRecord) => records.push(record) } : {}),
  }
  const report = await runShown(run, { isShown: !quiet }, io)
  return { report, records: isObserved ? records : null }
}

const prefix = '#records '

/** The line of the requests. The many gaps within streams are only in the report. */
export function recordsLine(records: readonly RequestRecord[]): string {
  const slim = records.map((record) => ({ ...record, gapsNs: [] }))
  return `${prefix}${gzipSync(JSON.stringify(slim)).toString('base64')}`
}

/** Splits standard output of a shard: its report, then the requests in one line if they are observed. */
export function shardOutputIn(text: string) {
  const at = text.lastIndexOf(`\n${prefix}`)
  if (at < 0) return { report: text, records: [] }
  const packed = Buffer.from(text.slice(at + 1 + prefix.length).trim(), 'base64')
  const records: RequestRecord[] = JSON.parse(gunzipSync(packed).toString('utf8'))
  return { report: text.slice(0, at + 1), records }
}
