import type { LoadReport } from '../../../../contract/report/load/report.ts'

type Row = LoadReport['connections']
type Http2Row = NonNullable<Row['http2']>

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

/** Null is no limit. */
export function minOrNull(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
