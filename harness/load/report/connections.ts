import type { LoadReport } from '../../../contract/report/load/report.ts'
import type { WorkerPoolResult } from '../engine/worker-pool.ts'
import { http2Of } from '../http/http2/merge-figures.ts'

type Row = LoadReport['connections']

/** The connections of all workers, those of setup and cleanup included. */
export function connectionCounts({
  done,
  connectionsOpened,
}: Pick<WorkerPoolResult, 'done' | 'connectionsOpened'>): Pick<
  Row,
  'opened' | 'httpVersions' | 'http2'
> {
  const versions = done.map(({ httpVersion }) => (httpVersion === 'http2' ? '2' : '1.1'))
  return {
    opened: connectionsOpened,
    httpVersions: [...new Set(versions)].sort(),
    ...http2Of(done.flatMap(({ http2 }) => (http2 === null ? [] : [http2]))),
  }
}
