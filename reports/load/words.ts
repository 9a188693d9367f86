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

/** What the whole run came to, in one line without the outcome itself. */
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
  return `${judged}, ${required === 0 ? 'no required row broken' : `${count(required, 'required row')} broken`}`
}

function goodText({ share, due }: LoadReport['goodput']): string {
  return share === null ? 'nothing was measured' : `${percent(share)} good of ${due} due`
}

/** So do refusals: `67 % of requests refused (503)`. */
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

/** `67 %`, `1.03 %`, and never all for almost all. */
function roundPercent(share: number): string {
  const middling = share >= 0.1 && share <= 0.99
  return percent(middling ? Number(share.toFixed(2)) : share)
}

/** `429: 3; 5xx: 71; …`: what kept requests from their answer, and how often. */
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
    ...(unreadable === 0 ? [] : [`unreadable or endless answers: ${unreadable}`]),
    `time-outs: ${timeouts}`,
    `retries: ${retries}`,
  ].join(', ')
}

/** `3 connections opened, HTTP/2 with 489 streams, at most 100 at once on one (100 allowed)`. */
export function connectionText({ connections }: Pick<LoadReport, 'connections'>): string {
  const { opened, reused, httpVersions = [], http2 } = connections
  const versions = httpVersions.map((version) => `HTTP/${version}`).join(' and ')
  const what = `${versions === '' ? '' : `${versions}: `}${count(opened, 'connection')} opened`
  if (http2 === undefined) return `${what}, ${reused} requests found one open`
  const { streams, maxAtOnce, allowed, resets, goaways, resent } = http2
  return [
    what,
    `${count(streams, 'stream')} over them, at most ${maxAtOnce} at once on one (${allowed === null ? 'no limit' : `${allowed} allowed`})`,
    ...(resets === 0 ? [] : [`${count(resets, 'stream')} reset by the target`]),
    ...(goaways === 0 ? [] : [`${count(goaways, 'connection')} ended by GOAWAY`]),
    ...(resent === 0 ? [] : [`${count(resent, 'request')} sent again after a refusal`]),
  ].join(', ')
}

/** How deltas came, in a sentence; undefined where nothing was streamed. */
export function deliveryText({ delivery }: Pick<LoadReport, 'delivery'>): string | undefined {
  if (delivery == null) return undefined
  const { streams, deltas, reads, inOneRead } = delivery
  const each = `${figure(deltas / streams)} deltas came in ${figure(reads / streams)} reads`
  const whole =
    inOneRead === 0 ? '' : `; ${inOneRead} of ${count(streams, 'stream')} came in one read`
  return `a stream on average: ${each}${whole}`
}

/** What `ttft` and the gaps say of a model where deltas came in lumps; nothing where they did not. */
export function lumpText(report: Pick<LoadReport, 'delivery' | 'generator'>): readonly string[] {
  const { delivery, generator } = report
  // A generator that is late reads in lumps by itself.
  if (delivery == null || generator.verdict === 'invalid') return []
  const { lumps, inOneRead, streams, lumpMs, firstRead } = delivery
  const who = 'the server, or a proxy in front of it, collects them'
  if (lumps === 'whole') {
    return [
      `${inOneRead} of ${count(streams, 'stream')} came in one read, so ttft is the time of the whole answer and not of its first token: ${who}, or writes faster than one can read`,
    ]
  }
  if (lumps === 'some') {
    const every = lumpMs === null ? '' : ` about every ${figure(lumpMs)} ms`
    const first =
      firstRead >= 2
        ? `ttft is when it lets the first lump go (${figure(firstRead)} deltas on average), and `
        : ''
    return [
      `deltas came in lumps${every}: ${who}, so ${first}the gaps are its own and not the model's`,
    ]
  }
  return []
}

/** A truncated answer stands in the first line, whoever allowed it. */
function truncatedText({ errors }: Pick<LoadReport, 'errors'>): readonly string[] {
  const cut = errors.reduce((sum, row) => sum + (row.kind === 'truncated' ? row.count : 0), 0)
  return cut === 0 ? [] : [`${count(cut, 'answer')} truncated`]
}

export function partialText({ of, missing }: NonNullable<LoadReport['partial']>): string {
  return `partial: without ${count(missing.length, 'shard')} of ${of} (${missing.join(', ')})`
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

/** What a metric is, in half a line. */
export const meanings: Readonly<Record<MetricName, string>> = {
  connect: 'opening a connection, TLS included; in no other figure',
  ttfb: 'to the status line and headers',
  ttfe: 'to the first event of any kind',
  ttft: 'to the first generated content: reasoning, text or arguments',
  ttfo: 'to the first answer text',
  thinking: 'from the first content to the first answer text',
  icl: 'gaps between reads that brought content',
  tpot: 'time per output token after the first',
  e2e: 'to the event that ends a whole answer',
  close_lag: 'from that event to the end of the body',
  max_gap: 'longest gap of a stream',
}

/**
 * The outcome in a word; one that only lacks requests for a decision is not called missed, nor one
 * met of which parts are missing.
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

/** The five rates, and what of them was good, as rows of name, count and rate. */
export function rateRows({
  rates,
  goodput,
}: LoadReport): readonly (readonly [string, number, number])[] {
  const five = Object.entries(rates).map(
    ([name, { count, perSecond }]) => [name, count, perSecond] as const,
  )
  return [...five, ['good', goodput.good, goodput.perSecond]]
}
