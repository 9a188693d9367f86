import { type ArrivalRow, type Disturbances, type LoadReport, refusalKinds } from '../model/load.ts'
import { type Metric, type MetricName, metricNames, type Quantile } from '../model/load-measures.ts'
import { count, printable } from '../text.ts'

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
  notConnected,
  droppedConnections,
  timeouts,
  retries,
}: Disturbances): string {
  return [
    `429: ${tooManyRequests}`,
    `5xx: ${serverErrors}`,
    ...(otherErrors === 0 ? [] : [`other statuses outside 2xx: ${otherErrors}`]),
    ...(errorEvents === 0 ? [] : [`error events: ${errorEvents}`]),
    ...(notConnected === 0 ? [] : [`not connected: ${notConnected}`]),
    `dropped connections: ${droppedConnections}`,
    `time-outs: ${timeouts}`,
    `retries: ${retries}`,
  ].join(', ')
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

/** Three digits that matter; `n/a` where nothing is known. */
export function figure(value: number | null): string {
  if (value === null) return 'n/a'
  const size = Math.abs(value)
  if (size === 0 || size >= 100) return value.toFixed(0)
  return value.toFixed(size >= 10 ? 1 : 2)
}

/** A figure with its interval: `412 [398, 431]`; an open end is a dash. */
export function interval(value: number | null, low: number | null, high: number | null): string {
  if (value === null || (low === null && high === null)) return figure(value)
  const end = (bound: number | null) => (bound === null ? '–' : figure(bound))
  return `${figure(value)} [${end(low)}, ${end(high)}]`
}

/** Almost all is never told as all. */
export function percent(share: number): string {
  const rounded = Number((100 * share).toPrecision(share < 0.1 ? 3 : 4))
  return `${rounded === 100 && share < 1 ? 99.99 : rounded} %`
}

export function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`
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
