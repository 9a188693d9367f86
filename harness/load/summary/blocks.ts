import { gunzipSync, gzipSync } from 'node:zlib'
import {
  type LoadBlock,
  type LoadBlocks,
  loadBlocks,
} from '../../../contract/report/load/comparison.ts'
import type { MetricName } from '../../../contract/report/load/measures.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import type { Histogram } from '../metrics/samples/histogram.ts'
import { twoClocked } from '../slo/slo.ts'
import { countDue } from './rates.ts'
import type { MeasuredWindow } from './window.ts'

/** Latencies that two runs are compared by. */
export const comparedLatencies = ['ttft', 'tpot', 'icl', 'e2e'] as const satisfies MetricName[]

/** Slices of a run in one block: 10 to 20 blocks in the measured window. */
const slicesPerBlock = 2

/** The measured window in blocks; slices that fill no block are left out at the start. */
export function blocksOf(run: RunMetrics, { from, to }: MeasuredWindow): LoadBlocks {
  const blocks = Math.floor((to - from) / slicesPerBlock)
  const first = to - blocks * slicesPerBlock
  return {
    blockMs: (slicesPerBlock * run.slices.widthNs) / 1e6,
    blocks: Array.from({ length: blocks }, (_, index) =>
      blockOf(run, first + index * slicesPerBlock),
    ),
  }
}

function blockOf(run: RunMetrics, from: number): LoadBlock {
  const to = from + slicesPerBlock
  const group = run.group(from, to)
  const { outcomes } = group
  const { completed, outputTokens } = run.slices.sum(from, to)
  return {
    due: countDue(outcomes),
    ok: outcomes.ok,
    good: outcomes.good,
    completed,
    outputTokens,
    latencies: comparedLatencies.flatMap((metric) => {
      const clock = twoClocked.includes(metric) ? 'response' : 'service'
      const ended = group.latencies(metric, clock)
      const censored = group.censored(metric, clock)?.count ?? 0
      if (ended === undefined && censored === 0) return []
      return [{ metric, clock, counts: ascending(ended?.counts), censored }]
    }),
  }
}

function ascending(counts: Histogram['counts'] = new Map()): [number, number][] {
  return [...counts].sort(([a], [b]) => a - b)
}

/** Packs `blocks` of a report: gzip, base64. */
export function packBlocks(blocks: LoadBlocks): string {
  return gzipSync(JSON.stringify(blocks)).toString('base64')
}

/** @throws Error if the text is malformed */
export function unpackBlocks(packed: string): LoadBlocks {
  return loadBlocks.parse(JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString('utf8')))
}
