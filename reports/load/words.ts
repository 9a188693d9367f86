import {
  type ArrivalRow,
  type Disturbances,
  type LoadReport,
  refusalKinds,
} from '../../contract/report/load.ts'
import {
  type Metric,
  type MetricName,
  metricNames,
  type Quantile,
} from '../../contract/report/load-measures.ts'
import { printable } from '../text/escape.ts'
import { count, figure, percent, seconds } from '../text/format.ts'

/** Figures and phrases that every form of a load report shares. */

/** Summary of the run in one line, without the outcome itself. */
export function outcomeText(report: LoadReport): string {
  const { goodput, generator, partial } = report
  return [
    sloText(report),
    ...refusedText(report),
    integrityText(report),
    ...truncatedText(report),
    goodText(goodput),
    `generator ${generator.verdict}`,
    ...(partial === undefined ? [] : [partialText(partial)]),
  ].join('; ')
}

export function sloText({ slo: rows }: Pick<LoadReport, 'slo'>): string {
  const slo = rows.filter(({ implied }) => implied !== true)
  if (slo.length === 0) return 'no SLO was given'
  const number = (verdict: string) => slo.filter((row) => row.verdict === verdict).length
  const others = (['missed', 'undecided'] as const)
    .filter((verdict) => number(verdict) > 0)
    .map((verdict) => `, ${number(verdict)} ${verdict}`)
  return `${number('met')} of ${count(slo.length, 'SLO')} met${others.join('')}`
}

export function integrityText({ integrity }: Pick<LoadReport, 'integrity'>): string {
  const { streams, bodies, findings } = integrity
  const required = findings.filter(({ level }) => level === 'required').length
  const judged = `${count(streams, 'stream')} and ${bodies} ${bodies === 1 ? 'body' : 'bodies'} judged`
  return `${judged}, ${required === 0 ? 'no requirement violated' : `${count(required, 'requirement')} violated`}`
}

function goodText({ share, due }: LoadReport['goodput']): string {
  return share === null
    ? 'nothing was measured'
    : `goodput ${percent(share)} of ${count(due, 'due request')}`
}

/** `67 % of requests refused (503)`. */
function refusedText({ errors }: Pick<LoadReport, 'errors'>): readonly string[] {
  const refusals = errors.filter(({ kind }) => refusalKinds.includes(kind))
  const share = refusals.reduce((sum, row) => sum + row.share, 0)
  if (share === 0) return []
  const details = refusals.map(({ kind, detail }) =>
    kind === 'in-band-error' ? 'error event' : printable(detail),
  )
  const shown = [...new Set(details)]
  const rest = shown.length > 3 ? ', …' : ''
  return [`${roundPercent(share)} of requests refused (${shown.slice(0, 3).join(', ')}${rest})`]
}

/** `67 %`, `1.03 %`; never rounded up to 100 %. */
function roundPercent(share: number): string {
  const middling = share >= 0.1 && share <= 0.99
  return percent(middling ? Number(share.toFixed(2)) : share)
}

/** `429: 3, 5xx: 71, …`: counts of error responses, lost connections and retries. */
export function disturbanceText({
  tooManyRequests,
  serverErrors,
  otherErrors,
  errorEvents,
  unanswered,
  droppedConnections,
  unreadable,
  timeouts,
  retries,
}: Disturbances): string {
  return [
    `429: ${tooManyRequests}`,
    `5xx: ${serverErrors}`,
    ...(otherErrors === 0 ? [] : [`other statuses outside 2xx: ${otherErrors}`]),
    ...(errorEvents === 0 ? [] : [`error events: ${errorEvents}`]),
    ...(unanswered === 0 ? [] : [`unanswered: ${unanswered}`]),
    `dropped connections: ${droppedConnections}`,
    ...(unreadable === 0 ? [] : [`unreadable or oversized responses: ${unreadable}`]),
    `timeouts: ${timeouts}`,
    `retries: ${retries}`,
  ].join(', ')
}

/** `HTTP/2: 3 connections opened, 489 streams, up to 100 concurrent per connection (limit 100)`. */
export function connectionText({ connections }: Pick<LoadReport, 'connections'>): string {
  const { opened, reused, httpVersions = [], http2 } = connections
  const versions = httpVersions.map((version) => `HTTP/${version}`).join(' and ')
  const what = `${versions === '' ? '' : `${versions}: `}${count(opened, 'connection')} opened`
  if (http2 === undefined) return `${what}, ${count(reused, 'request')} on reused connections`
  const { streams, maxAtOnce, allowed, resets, goaways, resent } = http2
  return [
    what,
    `${count(streams, 'stream')}, up to ${maxAtOnce} concurrent per connection (${allowed === null ? 'no limit' : `limit ${allowed}`})`,
    ...(resets === 0 ? [] : [`${count(resets, 'stream')} reset by the target`]),
    ...(goaways === 0 ? [] : [`${count(goaways, 'connection')} closed by GOAWAY`]),
    ...(resent === 0 ? [] : [`${count(resent, 'request')} retried after a refused stream`]),
  ].join(', ')
}

/** Deltas per network read, in a sentence; undefined without streams. */
export function deliveryText({ delivery }: Pick<LoadReport, 'delivery'>): string | undefined {
  if (delivery == null) return undefined
  const { streams, deltas, reads, inOneRead } = delivery
  const each = `${figure(deltas / streams)} deltas in ${figure(reads / streams)} reads`
  const whole =
    inOneRead === 0 ? '' : `; ${inOneRead} of ${count(streams, 'stream')} arrived in a single read`
  return `on average per stream ${each}${whole}`
}

/** Warnings about `ttft` and the gaps where deltas arrived in bursts; empty otherwise. */
export function lumpText(report: Pick<LoadReport, 'delivery' | 'generator'>): readonly string[] {
  const { delivery, generator } = report
  // A late generator produces bursts by itself.
  if (delivery == null || generator.verdict === 'invalid') return []
  const { lumps, inOneRead, streams, lumpMs, firstRead } = delivery
  const who = 'the server or a proxy in front of it buffers them'
  if (lumps === 'whole') {
    return [
      `${inOneRead} of ${count(streams, 'stream')} arrived in a single read, so ttft is the time of the whole response, not of its first token: ${who}, or writes faster than the client can read`,
    ]
  }
  if (lumps === 'some') {
    const every = lumpMs === null ? '' : ` about every ${figure(lumpMs)} ms`
    const first =
      firstRead >= 2
        ? `ttft is the time of the first burst (${figure(firstRead)} deltas on average), and `
        : ''
    return [
      `deltas arrived in bursts${every}: ${who}, so ${first}the gaps are those of the buffer, not of the model`,
    ]
  }
  return []
}

/** Truncated responses stand in the first line, even where they are allowed. */
function truncatedText({ errors }: Pick<LoadReport, 'errors'>): readonly string[] {
  const cut = errors.reduce((sum, row) => sum + (row.kind === 'truncated' ? row.count : 0), 0)
  return cut === 0 ? [] : [`${count(cut, 'response')} truncated`]
}

export function partialText({ of, missing }: NonNullable<LoadReport['partial']>): string {
  return `partial: ${missing.length} of ${count(of, 'shard')} missing (${missing.join(', ')})`
}

/** `poisson, 20/s`. */
export function arrivalText(arrival: ArrivalRow): string {
  switch (arrival.kind) {
    case 'ramp':
      return `${arrival.process} ramp from ${arrival.from}/s to ${arrival.to}/s over ${arrival.overMs / 1000} s`
    case 'steps':
      return `${arrival.process} steps ${arrival.steps.map(({ perSecond, forMs }) => `${perSecond}/s for ${forMs / 1000} s`).join(', ')}`
    case 'closed':
      return `closed loop of ${arrival.concurrency} clients`
    case 'trace':
      return `replay of ${arrival.file}`
    default:
      return `${arrival.kind}, ${arrival.perSecond}/s`
  }
}

/** `poisson, 20/s, for 30 s; mix v3; seed x; shard 1 of 4; plan 0123456789ab`. */
export function planText({ plan, seed }: LoadReport): string {
  const { arrival, durationMs, mix, shard, hash } = plan
  return [
    `${arrivalText(arrival)}, for ${seconds(durationMs)}`,
    `mix ${mix}`,
    `seed ${seed}`,
    ...(shard === null ? [] : [`shard ${shard.index}/${shard.of}`]),
    `plan ${hash.slice(0, 12)}`,
  ].join('; ')
}

export function windowText({ window }: Pick<LoadReport, 'window'>): string {
  const { fromMs, toMs, method, steady } = window
  return `${seconds(fromMs)} to ${seconds(toMs)} of the run (${method}); ${steady.verdict}: ${steady.message}`
}

/** `p50`, `p99.9`. */
export function quantileName({ q }: Pick<Quantile, 'q'>): string {
  return `p${Number((q * 100).toPrecision(10))}`
}

/** Latencies by metric and clock, in the order of the report. */
export function clocked(metrics: readonly Metric[]) {
  return metrics.flatMap(({ name, service, response }) =>
    (
      [
        ['response', response],
        ['service', service],
      ] as const
    ).flatMap(([clock, distribution]) =>
      distribution === null ? [] : [{ name, clock, distribution }],
    ),
  )
}

/** Latencies of growing chats, by metric, clock and turn. */
export function turnRows(turns: LoadReport['turns']) {
  return turns
    .flatMap(({ from, to, metrics }) =>
      clocked(metrics).map(({ name, ...row }) => ({
        metric: name,
        turn: from === to ? `turn ${from}` : `turn ${from} and later`,
        ...row,
      })),
    )
    .toSorted(
      (a, b) =>
        metricNames.indexOf(a.metric) - metricNames.indexOf(b.metric) ||
        a.clock.localeCompare(b.clock),
    )
}

/** Short definitions of the metrics. */
export const meanings: Readonly<Record<MetricName, string>> = {
  connect: 'connection setup including TLS; not part of any other metric',
  ttfb: 'until the status line and headers',
  ttfe: 'until the first event of any kind',
  ttft: 'until the first generated content: reasoning, text or tool arguments',
  ttfo: 'until the first output text',
  thinking: 'from the first content to the first output text',
  icl: 'gaps between reads with content (inter-chunk latency)',
  tpot: 'time per output token after the first',
  e2e: 'until the event that ends a complete response',
  close_lag: 'from that event to the end of the body',
  max_gap: 'longest gap of a stream',
}

/**
 * The outcome in a word: `Undecided` where there were too few requests for a decision, `Incomplete` where
 * shards are missing.
 */
export function outcomeWord({
  outcome,
  slo,
  partial,
}: Pick<LoadReport, 'outcome' | 'slo' | 'partial'>): string {
  if (partial !== undefined && outcome === 'met') return 'Incomplete'
  const undecided = outcome === 'missed' && slo.every(({ verdict }) => verdict !== 'missed')
  return undecided ? 'Undecided' : outcomeWords[outcome]
}

const outcomeWords: Readonly<Record<LoadReport['outcome'], string>> = {
  met: 'Met',
  missed: 'Missed',
  violated: 'Violated',
  invalid: 'Invalid',
}

/** The five rates and the goodput, each as name, count and rate. */
export function rateRows({
  rates,
  goodput,
}: LoadReport): readonly (readonly [string, number, number])[] {
  const five = Object.entries(rates).map(
    ([name, { count, perSecond }]) => [name, count, perSecond] as const,
  )
  return [...five, ['good', goodput.good, goodput.perSecond]]
}
