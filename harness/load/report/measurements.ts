import { gunzipSync, gzipSync } from 'node:zlib'
import type { IntegrityCounts } from '../judging/integrity-recorder.ts'
import type { Tally } from '../judging/requirement-tally.ts'
import type { StoredMetrics } from '../metrics/run-metrics.ts'

/** All that merging the report of a shard takes beside the report itself; plain data. */
export interface Measurements {
  readonly metrics: StoredMetrics
  /** Counts by thread. */
  readonly integrity: readonly IntegrityCounts[]
  readonly ids: {
    readonly tally: Tally
    readonly size: number
    readonly duplicates: number
  }
  readonly warmUpNs: number | 'auto'
  readonly untilNs: number
}

/** Packs `measurements` of a report: gzip, base64. */
export function packMeasurements(measurements: Measurements): string {
  return gzipSync(JSON.stringify(measurements)).toString('base64')
}

/** @throws Error where it is no such text */
export function unpackMeasurements(packed: string): Measurements {
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString('utf8'))
}
