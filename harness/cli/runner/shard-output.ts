import { gunzipSync, gzipSync } from 'node:zlib'
import type { RequestRecord } from '../../load/record.ts'

/** Standard output of a shard: its report, and behind it the requests in one line where they are observed. */
export interface ShardOutput {
  readonly report: string
  readonly records: readonly RequestRecord[]
}

const prefix = '#records '

/** The line of the requests. Gaps within streams, which are many, stay in the report alone. */
export function recordsLine(records: readonly RequestRecord[]): string {
  const slim = records.map((record) => ({ ...record, gapsNs: [] }))
  return `${prefix}${gzipSync(JSON.stringify(slim)).toString('base64')}`
}

export function shardOutputIn(text: string): ShardOutput {
  const at = text.lastIndexOf(`\n${prefix}`)
  if (at < 0) return { report: text, records: [] }
  const packed = text.slice(at + 1 + prefix.length).trim()
  const records: RequestRecord[] = JSON.parse(
    gunzipSync(Buffer.from(packed, 'base64')).toString('utf8'),
  )
  return { report: text.slice(0, at + 1), records }
}
