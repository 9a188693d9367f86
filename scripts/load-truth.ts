/**
 * Compares figures of the load engine with the server's own timestamps of the same streams, request by
 * request: every metric, at 50 and at 300 concurrent streams, with constant and with lognormal times.
 * A quantile is true if it is within the larger of 2 ms and 2 %.
 *
 * Service time counts from the first byte that was written, which no server sees: a request may lie
 * unread in a socket while the server is busy. So the truth counts from that moment to the server's
 * timestamp; how long requests were unread is printed below each table. CPUs are kept from halting, unless
 * --halting is given.
 *
 *   node scripts/load-truth.ts [--streams 50,300] [--gap 40] [--seconds 6] [--kind openai-stream|one-shot-stream] [--halting]
 */

import { loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { meanOf, quantileName, quantileOf } from '../contract/averages.ts'
import { childServer } from '../harness/load/child-server.ts'
import { latencyOf } from '../harness/load/metrics/samples/latency-definitions.ts'
import type { RequestRecord } from '../harness/load/record.ts'
import { columns } from '../reports/text/format.ts'
import { linesIn } from './foreign/programs.ts'
import { type EngineResult, keepAwake, readWithEngine, tag } from './load/engine-reader.ts'
import type { LoggedStream, LoggingServerOptions } from './load/logging-server.ts'
import { optionsOf, scriptFolder } from './options.ts'
import { momentsOf } from './peers/server.ts'

const values = optionsOf(import.meta, {
  ...{ streams: '50,300', seconds: 6, kind: 'openai-stream', gap: 40, halting: false, seed: 1 },
})

const [ttft, gap, tokens] = [200, values.gap, 40]
const paces = {
  constant: `ttft=${ttft}ms,gap=${gap}ms`,
  lognormal: `ttft=lognormal(${ttft}ms,0.4),gap=lognormal(${gap}ms,0.4)`,
}
const quantiles = [0.5, 0.9, 0.99]
const streamMs = ttft + gap * (tokens - 1)
const [warmUpMs, windowMs] = [10_000, values.seconds * 1_000]

/** Nanoseconds of one request, in the definitions of harness/load/metrics/samples/latency-definitions.ts. */
type Metrics = Readonly<Record<string, readonly number[]>>

if (!values.halting) keepAwake()
let wrong = 0
for (const [name, pace] of Object.entries(paces)) {
  for (const streams of values.streams.split(',').map(Number)) {
    const key = 'load-truth'
    const kind = values.kind === 'openai-stream' ? 'openai-stream' : 'one-shot-stream'
    const options = { key, tokens, streams, streamMs, durationMs: warmUpMs + windowMs }
    const { result, log } = await withLog({ pace, seed: values.seed, key }, (url) =>
      readWithEngine({ ...options, kind, url }),
    )
    const pairs = pairsOf(result, log)
    const events = pairs.reduce((sum, [, { sent }]) => sum + sent.length, 0)
    const failed = result.records.filter(({ outcome }) => outcome.kind !== 'ok')
    const byKind = [...Map.groupBy(failed, ({ outcome }) => outcome.kind)]
    const errors = Object.fromEntries(byKind.map(([error, records]) => [error, records.length]))
    console.log(
      `\n${name} times (${pace}), ${streams} concurrent streams: ${pairs.length} requests, ${events} events,`,
      `errors ${JSON.stringify(errors)}, load of the machine ${(loadavg()[0] ?? 0).toFixed(2)}\n`,
    )
    console.log(compared(pairs, result.startNs))
    console.log(`\n${ways(pairs, result.startNs)}`)
  }
}
console.log(wrong === 0 ? '\nEvery quantile is true.' : `\n${wrong} quantiles are off.`)
process.exitCode = wrong === 0 ? 0 : 1

/** Requests that were sent within the window, and completed. */
function pairsOf({ records }: EngineResult, log: readonly LoggedStream[]) {
  const byId = new Map(log.map((stream) => [stream.id, stream]))
  return records.flatMap((record): [RequestRecord, LoggedStream][] => {
    const stream = byId.get(`${tag}/${record.index}.${record.step}`)
    const sentMs = (record.timestamps.sent ?? Number.NaN) / 1e6
    const isWithin = sentMs >= warmUpMs && sentMs < warmUpMs + windowMs
    return stream !== undefined && isWithin && record.outcome.kind === 'ok'
      ? [[record, stream]]
      : []
  })
}

function compared(
  pairs: readonly (readonly [RequestRecord, LoggedStream])[],
  startNs: number,
): string {
  const ours = pooled(pairs.map(([record]) => measured(record)))
  const truth = pooled(pairs.map(([record, stream]) => stamped(record, stream, startNs)))
  const msOf = (all: readonly number[], share: number) =>
    (quantileOf(all, share) ?? Number.NaN) / 1e6
  const rows = Object.entries(truth).map(([metric, real]) => [
    metric,
    ...quantiles.flatMap((share) => {
      const [mine, its] = [msOf(ours[metric] ?? [], share), msOf(real, share)]
      const isTrue = Math.abs(mine - its) <= Math.max(2, 0.02 * its)
      if (!isTrue) wrong += 1
      return [...[mine, its, mine - its].map((ms) => ms.toFixed(2)), isTrue ? 'true' : 'OFF']
    }),
  ])
  const head = quantiles.flatMap((share) => [
    ...[`${quantileName(share)} ours`, 'server', 'off by', ''],
  ])
  return columns([['metric, ms', ...head], ...rows]).join('\n')
}

/** Transit times: of a request until the server received it, and of its first content. */
function ways(pairs: readonly (readonly [RequestRecord, LoggedStream])[], startNs: number): string {
  const percentilesOf = (from: (pair: (typeof pairs)[number]) => number) => {
    const all = pairs.map(from)
    return quantiles
      .map((share) => ((quantileOf(all, share) ?? Number.NaN) / 1e6).toFixed(2))
      .join(' / ')
  }
  const there = percentilesOf(
    ([{ timestamps }, { received }]) => received - startNs - (timestamps.sent ?? 0),
  )
  const back = percentilesOf(([{ timestamps }, { sent, kinds }]) => {
    return startNs + (timestamps.firstGenerated ?? 0) - (sent[kinds.indexOf('c')] ?? 0)
  })
  return `p50 / p90 / p99, ms: sent to received ${there}; first content written to stamped ${back}`
}

function measured(record: RequestRecord): Metrics {
  const single = ['ttfb', 'ttfe', 'ttft', 'ttfo', 'tpot', 'max_gap', 'e2e', 'close_lag'] as const
  const latencies = single.map((metric) => [
    metric,
    [latencyOf(record, metric, 'service') ?? Number.NaN],
  ])
  return { ...Object.fromEntries(latencies), icl: record.gapsNs }
}

function stamped({ timestamps }: RequestRecord, stream: LoggedStream, startNs: number): Metrics {
  const begun = startNs + (timestamps.sent ?? Number.NaN)
  const { firstEvent, firstToken, terminal, ended, gaps } = momentsOf(stream)
  return {
    ttfb: [stream.head - begun],
    ttfe: [firstEvent - begun],
    ttft: [firstToken - begun],
    ttfo: [firstToken - begun],
    icl: gaps,
    tpot: [meanOf(gaps) ?? Number.NaN],
    max_gap: [Math.max(...gaps)],
    e2e: [terminal - begun],
    close_lag: [ended - terminal],
  }
}

function pooled(all: readonly Metrics[]): Metrics {
  const names = Object.keys(all[0] ?? {})
  return Object.fromEntries(
    names.map((name) => [name, all.flatMap((metrics) => metrics[name] ?? [])]),
  )
}

/** Runs the server with its log in a separate process, for the time of `use`; returns its result and the log. */
async function withLog<Result>(
  options: Omit<LoggingServerOptions, 'log'>,
  use: (url: string) => Promise<Result>,
) {
  const log = join(scriptFolder('load'), 'log.ndjson')
  const file = fileURLToPath(new URL('./load/logging-server.ts', import.meta.url))
  const line = JSON.stringify({ ...options, log } satisfies LoggingServerOptions)
  const server = await childServer([file], { line })
  const result = await use(server.url).finally(() => server.stop())
  return { result, log: linesIn<LoggedStream>(log) }
}
