/**
 * Many streams at once on this machine, generator and server together: every event judged, and errors
 * by kind.
 *
 *   node scripts/many-streams.ts [--streams 2000] [--gap 250] [--seconds 15]
 */
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { RequestRecord } from '../harness/load/record.ts'
import type { EngineResult } from './load/engine-reader.ts'
import { eventsWithin, onePhase } from './load/one-phase.ts'
import { quantile } from './load/text.ts'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '2000' },
    gap: { type: 'string', default: '250' },
    seconds: { type: 'string', default: '15' },
  },
})
const [streams, gap, seconds] = [values.streams, values.gap, values.seconds].map(Number) as [
  number,
  number,
  number,
]
const [ttft, tokens] = [500, 40]
const streamMs = ttft + gap * (tokens - 1)

const { result, log, serverCpu } = await onePhase<EngineResult>(
  'engine',
  { pace: `ttft=${ttft}ms,gap=${gap}ms,jitter=0.2`, seed: 1 },
  // Somewhat more than is asked for: how many there are at once varies.
  {
    kind: 'openai-stream',
    tokens,
    streams: streams * 1.02,
    streamMs,
    warmUpMs: streamMs,
    windowMs: seconds * 1000,
  },
)
const [from, to] = result.window
const events = eventsWithin(log, result.window)
const ways = result.records.flatMap(({ timestamps: { dispatched, sent } }) =>
  sent === null ? [] : [(sent - dispatched) / 1e6],
)
console.log(`${availableParallelism()} cores, load of the machine ${(loadavg()[0] ?? 0).toFixed(2)}
streams              ${result.records.length}, at most ${maxConcurrent(result.records)} at once
events               ${(events / seconds).toFixed(0)}/s
errors               ${JSON.stringify(result.errors)}
findings             ${result.findings}
CPU of the generator ${((result.cpuUs * 1000) / (to - from)).toFixed(2)} of a core, busiest loop ${(result.eventLoopUtilization * 100).toFixed(0)}%
CPU of the server    ${serverCpu.toFixed(1)} s in all
dispatch to sent     p50 ${quantile(ways, 0.5).toFixed(2)} ms, p99 ${quantile(ways, 0.99).toFixed(2)} ms`)
const clean = result.findings === 0 && Object.keys(result.errors).length === 0
process.exitCode = clean && maxConcurrent(result.records) >= streams ? 0 : 1

function maxConcurrent(records: readonly RequestRecord[]): number {
  const steps = records
    .flatMap(({ timestamps: { sent, ended } }) =>
      sent === null || ended === null ? [] : [[sent, 1] as const, [ended, -1] as const],
    )
    .sort(([a], [b]) => a - b)
  let [now, max] = [0, 0]
  for (const [, step] of steps) {
    now += step
    max = Math.max(max, now)
  }
  return max
}
