import type { LoadReport } from '../../../contract/report/load/report.ts'
import type { DoneMessage } from '../engine/worker-pool.ts'
import { http2Of } from '../http/http2/merge-figures.ts'

type Row = LoadReport['connections']

/** The connections of all threads; what was measured of them is told elsewhere. */
export function connectionCounts(
  threads: readonly Pick<DoneMessage, 'connectionsOpened' | 'httpVersion' | 'http2'>[],
): Pick<Row, 'opened' | 'httpVersions' | 'http2'> {
  const versions = threads.map(({ httpVersion }) => (httpVersion === 'http2' ? '2' : '1.1'))
  return {
    opened: threads.reduce((sum, { connectionsOpened }) => sum + connectionsOpened, 0),
    httpVersions: [...new Set(versions)].sort(),
    ...http2Of(threads.flatMap(({ http2 }) => (http2 === null ? [] : [http2]))),
  }
}
