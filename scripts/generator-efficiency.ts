/**
 * CPU cost and timestamp error of the load engine, beside the least that a client can do
 * and beside fetch: paced streams, one event a segment, each reader in a process of its own against a
 * fresh server in another.
 *
 * CPUs are kept from halting, for all readers alike; --halting leaves them their sleep. The warm-up is as
 * long as the runtime takes to compile what is used often, which is more in a judge than in a loop.
 *
 *   node scripts/generator-efficiency.ts [--streams 300] [--gap 23] [--seconds 8] [--warm-up 15] [--kind openai-stream] [--halting]
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { meanOf } from '../contract/averages.ts'
import { keepAwake } from './load/awake.ts'
import type { EngineResult } from './load/engine-reader.ts'
import type { LoggedStream } from './load/logging-server.ts'
import { eventsWithin, onePhase } from './load/one-phase.ts'
import type { ReaderOptions } from './load/reader.ts'
import type { ReaderName } from './load/reader-process.ts'
import { quantile, table } from './load/text.ts'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '300' },
    gap: { type: 'string', default: '23' },
    tokens: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '8' },
    'warm-up': { type: 'string', default: '15' },
    kind: { type: 'string', default: 'openai-stream' },
    halting: { type: 'boolean', default: false },
    order: { type: 'string', default: 'raw,engine,fetch,engine,raw' },
  },
})

interface Row {
  readonly name: string
  readonly eventsPerSecond: number
  readonly eventsPerCpuSecond: number
  readonly lags: readonly number[]
  readonly errors: string
  readonly load: number
  readonly serverBusy: number
}

const ttft = 200
const [streams, gap, tokens] = [values.streams, values.gap, values.tokens].map(Number) as [
  number,
  number,
  number,
]
const options: Omit<ReaderOptions, 'url' | 'key'> = {
  kind: values.kind === 'openai-stream' ? 'openai-stream' : 'one-shot-stream',
  tokens,
  streams,
  streamMs: ttft + gap * (tokens - 1),
  warmUpMs: Number(values['warm-up']) * 1000,
  windowMs: Number(values.seconds) * 1000,
}

if (!values.halting) keepAwake()
const rows: Row[] = []
for (const reader of values.order.split(',') as ReaderName[]) rows.push(await measure(reader))

const best = (name: ReaderName, pick: (row: Row) => number) =>
  meanOf(rows.filter((row) => row.name === name).map(pick)) ?? Number.NaN
console.log(
  `${streams} streams of ${options.kind}, a token every ${gap} ms, one event a segment; Node ${process.version}; CPUs ${values.halting ? 'may halt' : 'kept awake'}\n`,
)
console.log(
  table(
    [
      'reader',
      'events/s',
      'events/CPU-s',
      'lag p50 ms',
      'p90',
      'p99',
      'max',
      'errors',
      'server busy',
      'load',
    ],
    rows.map((row) => [
      row.name,
      row.eventsPerSecond.toFixed(0),
      row.eventsPerCpuSecond.toFixed(0),
      ...[0.5, 0.9, 0.99, 1].map((q) => (quantile(row.lags, q) / 1e6).toFixed(3)),
      row.errors,
      `${(row.serverBusy * 100).toFixed(0)}%`,
      row.load.toFixed(2),
    ]),
  ),
)
const ratio =
  best('engine', (row) => row.eventsPerCpuSecond) / best('raw', (row) => row.eventsPerCpuSecond)
const p99 = (name: ReaderName) => best(name, ({ lags }) => quantile(lags, 0.99)) / 1e6
console.log(`
events per CPU-second, engine to raw reader: ${ratio.toFixed(2)} (at least 0.65, aim 0.8)
timestamp error p99: engine ${p99('engine').toFixed(3)} ms, raw reader ${p99('raw').toFixed(3)} ms: ${
  p99('engine') < 1
    ? 'under 1 ms'
    : `${(p99('engine') / p99('raw')).toFixed(2)} of the raw reader's (at most 1.5)`
}`)

async function measure(reader: ReaderName): Promise<Row> {
  const { result, log, serverCpu } = await onePhase(
    reader,
    { pace: `ttft=${ttft}ms,gap=${gap}ms`, seed: 1 },
    options,
  )
  const events = eventsWithin(log, result.window)
  const lags = reader === 'engine' ? engineLags(result as EngineResult, log) : result.lagsNs
  const seconds = options.windowMs / 1000
  return {
    name: reader,
    eventsPerSecond: events / seconds,
    eventsPerCpuSecond: events / (result.cpuUs / 1e6),
    lags,
    errors: JSON.stringify(result.errors),
    load: loadavg()[0] ?? Number.NaN,
    serverBusy: serverCpu / ((options.warmUpMs + options.windowMs + options.streamMs) / 1000),
  }
}

/** Lags of the stamps of generated content, each against the server's own. */
function engineLags(
  { records, startNs, window }: EngineResult,
  log: readonly LoggedStream[],
): number[] {
  const byId = new Map(log.map((stream) => [stream.id, stream]))
  const lags: number[] = []
  for (const { index, step, timestamps, gapsNs } of records) {
    const stream = byId.get(`efficiency/${index}.${step}`)
    if (stream === undefined || timestamps.firstGenerated === null) continue
    const sent = stream.sent.filter((_, at) => stream.kinds[at] === 'c')
    let at = startNs + timestamps.firstGenerated
    for (const [place, written] of sent.entries()) {
      if (place > 0) at += gapsNs[place - 1] ?? Number.NaN
      if (written >= window[0] && written < window[1]) lags.push(at - written)
    }
  }
  return lags
}
