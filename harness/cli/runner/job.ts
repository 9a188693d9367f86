import { isObject } from '../../../contract/json.ts'
import { suiteVersion } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { LoadOptions } from '../../load/options.ts'

/** Everything that a shard needs to know of its run: plan, target, objectives. JSON; it contains keys. */
export type JobOptions = Omit<
  LoadOptions,
  'shard' | 'startAt' | 'signal' | 'onProgress' | 'onRecord'
>

export interface LoadJob {
  readonly kind: 'load-job'
  /** Version of chatgen; a shard of another version would send another plan. */
  readonly version: string
  readonly options: JobOptions
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

/** @throws ConfigurationError if the text is no job, or one of another version of chatgen */
export function jobIn(text: string, file: string): LoadJob {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = null
  }
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
  return (
    isObject(value) &&
    'kind' in value &&
    value.kind === 'load-job' &&
    'options' in value &&
    isObject(value.options)
  )
}
