import type { LoadReport } from '../../../contract/report/load.ts'
import type { DoneMessage } from '../engine/worker-pool.ts'
import { minOrNull } from '../http/http2/connection-pool.ts'

type Row = LoadReport['connections']
type Http2Row = NonNullable<Row['http2']>

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

/** Figures of HTTP/2 of several threads or shards as those of one. */
export function http2Of(parts: readonly Http2Row[]): Pick<Row, 'http2'> {
  const [first, ...others] = parts
  if (first === undefined) return {}
  return {
    http2: others.reduce(
      (sum, part) => ({
        streams: sum.streams + part.streams,
        maxAtOnce: Math.max(sum.maxAtOnce, part.maxAtOnce),
        allowed: minOrNull(sum.allowed, part.allowed),
        resets: sum.resets + part.resets,
        goaways: sum.goaways + part.goaways,
        resent: sum.resent + part.resent,
      }),
      first,
    ),
  }
}
