import { type Badge, type Fact, filledFacts, type Table, tableOf } from '../document/document.ts'
import { clean } from '../text/escape.ts'
import { count, figure, joinPhrases, percent, seconds, withRange } from '../text/format.ts'
import type { PlanReport, PlanRow, PlanService } from './model.ts'

/** The answer, and problems of the measurements that it was computed from. */
export function planAnswer(report: PlanReport): string {
  return joinPhrases([
    numberText(report),
    ...report.measured.map(({ caveat }) => caveat && clean(caveat)),
  ])
}

/** `19 replicas for 90 req/s, 20 with one spare; safe within the uncertainty: 20; sustains 93 req/s [89, 95]`. */
function numberText(report: PlanReport): string {
  const { replicas, safeReplicas, withSpare, sustainable, demand } = report
  if (report.outcome === 'invalid') return `no number of replicas for ${demandText(report)}`
  if (replicas === null || withSpare === null) {
    const missed = report.rows[0]?.slo.filter(({ verdict }) => verdict !== 'met') ?? []
    const why = missed.map(
      ({ expression, value, unit }) => `${clean(expression)}: ${figure(value)} ${unit}`,
    )
    return `no number of replicas meets the SLOs for ${demandText(report)}${why.length === 0 ? '' : ` (without queues ${why.join(', ')})`}`
  }
  const unit = demand.kind === 'concurrency' ? 'users' : 'req/s'
  return joinPhrases([
    `${count(replicas, 'replica')} for ${demandText(report)}, ${withSpare} with one spare`,
    safeReplicas === null
      ? 'no number is certain within the uncertainty of the measurement'
      : `${safeReplicas} within the uncertainty of the measurement`,
    sustainable &&
      `${count(replicas, 'replica')} sustain${replicas === 1 ? 's' : ''} ${withRange(sustainable.value, sustainable.interval)} ${unit}`,
    assessedText(report, unit),
    costText(report, replicas, withSpare),
  ])
}

export const planBadges: Readonly<Record<PlanReport['outcome'], Badge>> = {
  found: { word: 'Plan', tone: 'pass' },
  provisional: { word: 'Provisional', tone: 'unproven' },
  unattainable: { word: 'Unattainable', tone: 'fail' },
  unreliable: { word: 'Unreliable', tone: 'unproven' },
  invalid: { word: 'Invalid', tone: 'none' },
}

function assessedText({ assessed, replicas }: PlanReport, unit: string): string {
  if (assessed === null || assessed.replicas === replicas) return ''
  const { sustainable } = assessed
  const size = count(assessed.replicas, 'replica')
  if (sustainable === null) return `${size} meet the SLOs at no load`
  return `${size}: ${withRange(sustainable.value, sustainable.interval)} ${unit}`
}

function costText({ price, demand }: PlanReport, replicas: number, withSpare: number): string {
  if (price === null) return ''
  const cost = (number: number) => money(number * price.perHour, price.currency)
  const parts = [`${cost(replicas)}/h, ${cost(withSpare)}/h with the spare`]
  if (demand.kind === 'trace') {
    const hours = demand.hours.reduce((sum, hour) => sum + hour.replicas, 0)
    parts.push(`${cost(hours)} if the replicas follow the hours of the trace`)
  }
  return parts.join(', ')
}

export function money(value: number, currency: string): string {
  const amount = value.toFixed(2)
  return /^[$€£]$/.test(currency)
    ? `${currency}${amount}`
    : `${amount}${currency === '' ? '' : ` ${currency}`}`
}

export function demandText({ demand }: PlanReport): string {
  switch (demand.kind) {
    case 'rate':
      return `${figure(demand.perSecond)} req/s`
    case 'concurrency':
      return `${count(demand.users, 'concurrent user')}`
    case 'trace':
      return `the peak of ${clean(demand.file)}, ${demand.peak.label}: ${figure(demand.peak.perSecond)} req/s, ${figure(demand.peak.maxPerSecond)} in the busiest minute`
  }
}

/** The measurements, and one replica as it was fitted to them. */
export function modelFacts(report: PlanReport): readonly Fact[] {
  const { service, measured, balance, methods } = report
  return filledFacts([
    ...measured.map(
      ({ file, replicas, rate, interval, baseUrl, basis }): Fact => [
        'Measured  ',
        `${clean(file)}: ${count(replicas, 'replica')} at ${clean(baseUrl)}, ${rate === null ? 'no rate found' : withRange(rate, interval)}${basis === 'decided' ? '' : ` (${basis})`}`,
      ],
    ),
    ...(service === null ? [] : serviceFacts(service)),
    ['Balance  ', service && balance],
    ...methods.map((method): Fact => ['Method  ', method]),
    ['Trace  ', traceText(report)],
  ])
}

function serviceFacts(service: PlanService): readonly Fact[] {
  const { lengths, maxWaiting, hasSeenLimit } = service
  return [
    [
      'Replica  ',
      `${hasSeenLimit ? '' : 'at least '}${service.maxSequences} concurrent sequences, ${maxWaiting === null ? 'no limit on waiting requests seen' : `${maxWaiting} may wait`}; prefill ${service.prefillMs === 0 ? '' : `${milli(service.prefillMs)} and `}${milli(service.prefillMsPerToken)}/token, decode ${milli(service.decodeMs)} and ${milli(service.decodeMsPerSequence)} per sequence, overhead ${milli(service.overheadMs)}${service.spread === 0 ? '' : `; durations vary by ${percent(service.spread)}`}`,
    ],
    [
      'Lengths  ',
      `${figure(lengths.meanPromptTokens)} prompt and ${figure(lengths.meanOutputTokens)} output tokens on average, of ${lengths.requests} requests of the ${lengths.from}`,
    ],
    ['Model  ', `off by ${percent(service.typicalError)} of what was measured (median)`],
  ]
}

function milli(ms: number): string {
  return `${Number(ms.toPrecision(3))} ms`
}

export function planTable({ rows, price, slos, demand }: PlanReport): Table {
  const sloText = ({ slo }: PlanRow, at: number) => {
    const { value = null, low = null, high = null, unit = '' } = slo[at] ?? {}
    return `${withRange(value, [low, high])} ${unit}`
  }
  const share = (value: number | null, none: string) => (value === null ? none : percent(value))
  const table = tableOf<PlanRow>(rows, [
    ['replicas', ({ replicas }) => String(replicas)],
    ['verdict', ({ verdict }) => verdict],
    ...slos.map((slo, at) => [clean(slo), (row: PlanRow) => sloText(row, at)] as const),
    ['ttft p50/p95, ms', ({ ttft }) => pair(ttft)],
    ['e2e p50/p95, ms', ({ e2e }) => pair(e2e)],
    ...(demand.kind === 'concurrency'
      ? []
      : [['utilization', (row: PlanRow) => share(row.utilization, 'n/a')] as const]),
    ['headroom', ({ headroom }) => share(headroom, '–')],
    ['with one down', ({ withOneDown }) => withOneDown],
    ...(price === null
      ? []
      : [
          [
            'cost/h',
            ({ costPerHour }: PlanRow) =>
              costPerHour === null ? 'n/a' : money(costPerHour, price.currency),
          ] as const,
        ]),
  ])
  return { ...table, spare: ['e2e p50/p95, ms', 'ttft p50/p95, ms', 'utilization'] }
}

function pair({ p50, p95 }: PlanRow['ttft']): string {
  return `${figure(p50)} / ${figure(p95)}`
}

export function hourTable({ demand, price }: PlanReport) {
  const hours = demand.kind === 'trace' && demand.hours.length >= 2 ? demand.hours : []
  return {
    head: ['from', 'requests', 'req/s', 'replicas', ...(price === null ? [] : ['cost'])],
    rows: hours.map(({ label, requests, perSecond, replicas }) => [
      label,
      String(Math.round(requests)),
      figure(perSecond),
      String(replicas),
      ...(price === null ? [] : [money(replicas * price.perHour, price.currency)]),
    ]),
  }
}

export function scalabilityTable({ scalability }: PlanReport): Table {
  return tableOf(scalability?.predictions ?? [], [
    ['replicas', ({ replicas }) => String(replicas)],
    ['req/s', ({ rate, interval }) => withRange(rate, interval)],
    ['', ({ isExtrapolated }) => (isExtrapolated ? 'extrapolated' : '')],
  ])
}

export function scalabilityLines({ scalability }: PlanReport): readonly string[] {
  if (scalability === null) return []
  const { lambda, sigma, kappa, replicas, isExtrapolated, message } = scalability
  if (lambda === null || sigma === null || kappa === null) return [message]
  const digits = (value: number) => String(Number(value.toPrecision(3)))
  return [
    message,
    `lambda ${digits(lambda)}, sigma ${digits(sigma)}, kappa ${digits(kappa)}${replicas === null ? '' : `; ${count(replicas, 'replica')} for the demand with those SLOs${isExtrapolated ? ' (extrapolated)' : ''}`}`,
  ]
}

export function reproducedTable({ service }: PlanReport): Table {
  return {
    head: ['load', 'statistic', 'measured', 'model', 'difference'],
    rows: (service?.reproduced ?? []).map(({ load, statistic, measured, predicted }) => [
      load.kind === 'open' ? `${figure(load.value)} req/s` : count(load.value, 'client'),
      statistic,
      figure(measured),
      figure(predicted),
      `${predicted >= measured ? '+' : '−'}${percent(Math.abs(predicted / measured - 1))}`,
    ]),
  }
}

function traceText({ demand }: PlanReport): string {
  if (demand.kind !== 'trace') return ''
  const { requests, durationMs, hours } = demand
  return `${Math.round(requests)} requests in ${seconds(durationMs)}, ${count(hours.length, 'hour')}`
}
