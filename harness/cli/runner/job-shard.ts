import { join } from 'node:path'
import { messageOf } from '../../../contract/error-message.ts'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import { ConfigurationError, TargetUnusableError } from '../../conformance/errors.ts'
import { readInputFile } from '../../conformance/input-file.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import type { RequestRecord } from '../../load/record.ts'
import { requestsName } from '../../load/requests-file.ts'
import type { LoadFlags } from '../load/flags.ts'
import { showLoadProgress } from '../load/output/live.ts'
import type { Io } from '../terminal/io.ts'
import { jobIn } from './job.ts'

export interface JobShard {
  readonly report: LoadReport
  /** Null where nobody observes them. */
  readonly records: readonly RequestRecord[] | null
}

/**
 * One shard of a run that `--runner` prepared.
 * @throws ConfigurationError if the file is no job, or the flags name no shard
 */
export async function runJobShard(
  file: string,
  { shard, startAt, out, quiet = false }: LoadFlags,
  io: Io,
): Promise<JobShard> {
  if (shard === undefined) throw new ConfigurationError(['--job needs --shard I/N'])
  const { options, records: isObserved } = jobIn(textOf(file), file)
  const records: RequestRecord[] = []
  io.redact(options.target.secrets)
  const { runLoad, PreparationError } = await import('../../load/run.ts')
  makeFolder(out)
  const progress = showLoadProgress(io, !quiet)
  try {
    const report = await runLoad({
      ...options,
      shard,
      startAt: startAt ?? null,
      ...(options.requestsFile === undefined ? {} : { requestsFile: join(out, requestsName) }),
      signal: io.signal,
      onProgress: progress.update,
      ...(isObserved ? { onRecord: (record: RequestRecord) => records.push(record) } : {}),
    })
    return { report, records: isObserved ? records : null }
  } catch (error) {
    if (!(error instanceof PreparationError)) throw error
    throw new TargetUnusableError('E_UNREACHABLE', `${options.target.baseUrl}: ${error.message}`)
  } finally {
    progress.stop()
  }
}

function textOf(file: string): string {
  try {
    return readInputFile(file)
  } catch (error) {
    const reason = messageOf(error)
    throw new ConfigurationError([`--job: cannot read the file: ${reason}`])
  }
}
