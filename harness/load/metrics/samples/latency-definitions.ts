import { type MetricName, metricNames } from '../../../../reports/load/model/measures.ts'
import type { RequestRecord, Timestamps } from '../../record.ts'
import { type Clock, twoClocked } from '../../slo/slo.ts'

/**
 * The latencies of one request, nanoseconds.
 *
 * | name        | from             | to                                                     |
 * | ----------- | ---------------- | ------------------------------------------------------ |
 * | `connect`   | dispatch         | connection ready; only if the request opened one    |
 * | `ttfb`      | start            | headers                                                |
 * | `ttfe`      | start            | first event of any kind                                |
 * | `ttft`      | start            | first generated content: reasoning, text, arguments    |
 * | `ttfo`      | start            | first answer text                                      |
 * | `thinking`  | first content    | first answer text                                      |
 * | `tpot`      | first content    | last content, divided by N - 1 tokens                  |
 * | `e2e`       | start            | terminal event, of a whole answer                      |
 * | `close_lag` | terminal event   | end of the body                                        |
 * | `max_gap`   | the longest time between two reads that brought content                  |
 *
 * The start is the planned moment (`response`, which avoids coordinated omission) or the first byte written
 * (`service`). A latency is
 * null if its moment never came. Only answers with status 2xx have latencies, and clients that
 * leave on purpose have none. A violated answer that is whole has an e2e: it is not good, but its time
 * is the target's. A truncated one has none.
 */
export function latencyOf(record: RequestRecord, metric: MetricName, clock: Clock): number | null {
  const { timestamps, outcome, counts } = record
  if (outcome.kind === 'abandoned') return null
  if (metric === 'connect') {
    return counts.newConnection ? between(timestamps.dispatched, timestamps.connected) : null
  }
  if (!isAnswered(record)) return null
  const start = clock === 'response' ? timestamps.planned : timestamps.sent
  const event = awaitedEvents.get(metric)
  if (event !== undefined) {
    return metric === 'e2e' && !isWhole(record) ? null : between(start, timestamps[event])
  }
  switch (metric) {
    case 'thinking':
      return between(timestamps.firstGenerated, timestamps.firstText)
    case 'tpot':
      return timePerOutputToken(record)
    case 'close_lag':
      return isWhole(record) ? between(timestamps.terminal, timestamps.ended) : null
    case 'max_gap':
      return record.gapsNs.reduce<number | null>((max, gap) => Math.max(max ?? 0, gap), null)
    default:
      return null
  }
}

/** Events of an answer that a client waits for, by the latency from the start. */
const awaitedEvents: ReadonlyMap<MetricName, keyof Timestamps> = new Map([
  ['ttfb', 'headers'],
  ['ttfe', 'firstEvent'],
  ['ttft', 'firstGenerated'],
  ['ttfo', 'firstText'],
  ['e2e', 'terminal'],
])

/** Latencies of which a request has at most one. */
const singleMetrics = metricNames.filter((name) => name !== 'icl')

/** Every latency of a request that is not null. */
export function forEachLatency(
  record: RequestRecord,
  take: (metric: MetricName, clock: Clock, ns: number) => void,
): void {
  for (const metric of singleMetrics) {
    const service = latencyOf(record, metric, 'service')
    if (service !== null) take(metric, 'service', service)
    if (!twoClocked.includes(metric)) continue
    const response = latencyOf(record, metric, 'response')
    if (response !== null) take(metric, 'response', response)
  }
}

/**
 * Calls back with lower bounds: latencies whose end had not come when the run ended, or when
 * the kit stopped waiting. The value is the time until then.
 */
export function forEachCensored(
  record: RequestRecord,
  take: (metric: MetricName, clock: Clock, ns: number) => void,
): void {
  const { outcome, timestamps, status, form } = record
  if (outcome.kind !== 'open' && outcome.kind !== 'timeout') return
  if (status !== null && !isAnswered(record)) return
  const until = lastTimestamp(record)
  for (const [metric, event] of awaitedEvents) {
    // An answer in one piece has neither events nor content before its end.
    if (form === 'json' && metric !== 'ttfb' && metric !== 'e2e') continue
    if (timestamps[event] !== null && metric !== 'e2e') continue
    if (timestamps.sent !== null) take(metric, 'service', until - timestamps.sent)
    take(metric, 'response', until - timestamps.planned)
  }
}

export function isAnswered({ status }: RequestRecord): boolean {
  return status !== null && status >= 200 && status <= 299
}

export function lastTimestamp({ timestamps }: RequestRecord): number {
  if (timestamps.ended !== null) return timestamps.ended
  let last = timestamps.dispatched
  for (const stamp of Object.values(timestamps)) if (stamp !== null && stamp > last) last = stamp
  return last
}

/** True if each timestamp is at or after its predecessor. */
export function isOrdered({ timestamps, gapsNs }: RequestRecord): boolean {
  const { dispatched, connected, sent, headers, firstEvent, firstGenerated } = timestamps
  const chains = [
    [dispatched, connected, sent, headers, firstEvent, firstGenerated, timestamps.firstText],
    [firstGenerated, timestamps.lastGenerated, timestamps.ended],
    [headers, timestamps.terminal, timestamps.ended],
  ]
  return chains.every(isAscending) && gapsNs.every((gap) => gap >= 0)
}

function isWhole({ outcome }: RequestRecord): boolean {
  return outcome.kind === 'ok' || outcome.kind === 'integrity'
}

/**
 * (last content - first content) / (N - 1), with N from the usage of the answer; it includes reasoning that
 * was streamed. Null, never 0, if N is unknown or below 2, or if all content arrived in one read: that shows no
 * pacing.
 */
function timePerOutputToken({ timestamps, counts }: RequestRecord): number | null {
  const tokens = counts.streamedTokens
  const whole = between(timestamps.firstGenerated, timestamps.lastGenerated)
  if (whole === null || whole === 0 || tokens === null || tokens < 2) return null
  return whole / (tokens - 1)
}

function between(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : to - from
}

function isAscending(stamps: readonly (number | null)[]): boolean {
  let last = Number.NEGATIVE_INFINITY
  for (const stamp of stamps) {
    if (stamp === null) continue
    if (stamp < last) return false
    last = stamp
  }
  return true
}

/**
 * Calls `take` for each piece of content of an answer: when it arrived, how many tokens and bytes. The record
 * has the times of the pieces and the totals, which are spread evenly over them, in integers that add up to
 * the totals. An unstreamed answer arrives at its end.
 */
export function forEachContentArrival(
  record: RequestRecord,
  take: (atNs: number, tokens: number, bytes: number, gapNs: number | null) => void,
): void {
  const { timestamps, counts, gapsNs } = record
  const tokens = isAnswered(record) ? (counts.outputTokens ?? 0) : 0
  const first = timestamps.firstGenerated
  if (first === null) {
    const end = timestamps.terminal ?? timestamps.ended
    if (end !== null) take(end, tokens, counts.bytes, null)
    return
  }
  const pieces = gapsNs.length + 1
  const part = (total: number, piece: number) =>
    Math.floor((total * (piece + 1)) / pieces) - Math.floor((total * piece) / pieces)
  take(first, part(tokens, 0), part(counts.bytes, 0), null)
  let at = first
  gapsNs.forEach((gap, index) => {
    at += gap
    take(at, part(tokens, index + 1), part(counts.bytes, index + 1), gap)
  })
}
