import { quantileName } from '../../../contract/averages.ts'
import type { SloLimit, SloRow } from '../../../reports/load/model/measures.ts'
import { countDue, type LatencyRecorder } from '../metrics/latency-recorder.ts'
import { censoredSample } from '../metrics/samples/distribution.ts'
import { milliseconds } from '../metrics/samples/histogram.ts'
import { quantileEstimate } from '../statistics/quantile-interval.ts'
import { confidence, type Decision, decideShare, shareInterval } from '../statistics/shares.ts'
import type { LatencySlo, RateSlo, RequestLimit, Slo } from './slo.ts'

/** Measurements that SLOs are decided on, all of one window. */
export interface SloEvidence {
  readonly group: LatencyRecorder
  /** Effective sample size, as a share, of a latency or of one of the figures of due requests. */
  readonly independent: (of: RequestLimit | 'goodput' | 'errors') => number
  readonly windowNs: number
  readonly completed: number
  readonly outputTokens: number
}

/** Decides one SLO, and reports what is missing for a decision. */
export function decideSlo(slo: Slo, evidence: SloEvidence): SloRow {
  const limits = limitRows(slo)
  return { ...decided(slo, evidence), ...(limits.length === 0 ? {} : { limits }) }
}

/** The latency limits of an SLO, so that no reader of a report parses its expression again. */
function limitRows(slo: Slo): SloLimit[] {
  const row = ({ metric, clock, limitNs, inclusive }: RequestLimit, statistic: string | null) => {
    return { metric, clock, statistic, value: limitNs / 1e6, unit: 'ms', inclusive } as const
  }
  if (slo.kind === 'goodput') return (slo.limits ?? []).map((limit) => row(limit, null))
  if (slo.kind !== 'latency') return []
  return [row(slo, slo.statistic === 'mean' ? 'mean' : quantileName(slo.statistic.quantile))]
}

function decided(slo: Slo, evidence: SloEvidence): SloRow {
  const { outcomes } = evidence.group
  const of = countDue(outcomes)
  switch (slo.kind) {
    case 'latency':
      return slo.statistic === 'mean'
        ? decideMean(slo, evidence)
        : decideQuantile(slo, slo.statistic.quantile, evidence)
    case 'goodput': {
      const { good: count } = outcomes
      const [bad, allowed] = [of - count, shareOver(slo.minShare)]
      const due = { count, of, bad, allowed, independent: evidence.independent('goodput') }
      const observation = `were good; ${bad} were not, ${percent(allowed)} may be`
      return decideDue(slo.expression, due, observation)
    }
    case 'errors': {
      const bad = of - outcomes.ok
      const [independent, allowed] = [evidence.independent('errors'), slo.maxShare]
      const observation = `failed; ${percent(allowed)} may`
      return decideDue(slo.expression, { count: bad, of, bad, allowed, independent }, observation)
    }
    case 'rate':
      return decideRate(slo, evidence)
  }
}

function decideQuantile(slo: LatencySlo, q: number, evidence: SloEvidence): SloRow {
  const ended = evidence.group.latencies(slo.metric, slo.clock)
  const censored = evidence.group.censored(slo.metric, slo.clock)
  const independent = evidence.independent(slo)
  // A request that is still running counts once it is over the limit, and is unknown before.
  const stillOver = censored.countOver(slo.limitNs, slo.inclusive)
  const of = ended.count + stillOver
  const over = ended.countOver(slo.limitNs, slo.inclusive) + stillOver
  const decision = decideShare(of, over, shareOver(q), independent)
  const sample = censoredSample(ended, censored)
  const { value, low, high } = quantileEstimate(sample, q, sample.count * independent)
  const observation = `${over} of ${of} ${slo.metric === 'icl' ? 'gaps' : 'requests'} were over ${text(slo.limitNs)}`
  return {
    expression: slo.expression,
    ...decision,
    observed: milliseconds(value),
    low: milliseconds(low),
    high: milliseconds(high),
    unit: 'ms',
    message: `${observation}; ${quantileName(q)} allows ${percent(shareOver(q))}.${outlook(decision, { bad: over, of, independent })}`,
  }
}

/**
 * The mean is met or missed if the limit lies outside its one-sided 99 % bound, on the effective
 * sample: 2.326 standard errors. Under 30 independent values the normal approximation is not used.
 */
function decideMean(slo: LatencySlo, evidence: SloEvidence): SloRow {
  const { count, meanNs, deviationNs } = evidence.group.latencies(slo.metric, slo.clock)
  const independent = evidence.independent(slo)
  const row = { expression: slo.expression, unit: 'ms', observed: milliseconds(meanNs) }
  const effective = Math.floor(count * independent)
  const room = slo.limitNs - (meanNs ?? 0)
  const deviation = deviationNs ?? 0
  const required = Math.max(30, Math.ceil((2.326 * deviation) ** 2 / room ** 2) || 30)
  const missing = Math.ceil((required - effective) / independent)
  const decision: Decision =
    meanNs === null || effective < required
      ? { verdict: 'undecided', needed: Math.min(maxNeeded, Math.max(1, missing)) }
      : { verdict: room > 0 || (room === 0 && slo.inclusive) ? 'met' : 'missed', needed: null }
  // 1.96 standard errors on either side: the 95 % interval, as of the quantiles.
  const half = effective < 30 ? null : (1.96 * deviation) / Math.sqrt(effective)
  const observation =
    meanNs === null ? 'Nothing was measured.' : `Mean ${text(meanNs)} of ${count}.`
  return {
    ...row,
    ...decision,
    low: half === null || meanNs === null ? null : milliseconds(meanNs - half),
    high: half === null || meanNs === null ? null : milliseconds(meanNs + half),
    message: `${observation}${outlook(decision)}`,
  }
}

/**
 * Decides a share of the due requests, of which `bad` count against it.
 * @param observation what `count` of them did, and what is allowed
 */
export function decideDue(
  expression: string,
  due: Readonly<Record<'count' | 'of' | 'independent' | 'bad' | 'allowed', number>>,
  observation: string,
): SloRow {
  const { count, of } = due
  const decision = decideShare(of, due.bad, due.allowed, due.independent)
  const message = `${count} of ${of} due requests ${observation}.${outlook(decision, due)}`
  return { expression, ...decision, ...inPercent(of, count), message }
}

/** Decides a rate, which is counted in the window, not estimated. */
function decideRate(slo: RateSlo, evidence: SloEvidence): SloRow {
  const { windowNs, completed, outputTokens } = evidence
  const count = slo.of === 'requests' ? completed : outputTokens
  const row = { expression: slo.expression, low: null, high: null, unit: '/s', needed: null }
  if (windowNs <= 0) {
    return { ...row, verdict: 'undecided', observed: null, message: 'There is no measured window.' }
  }
  const observed = count / (windowNs / 1e9)
  const kept = slo.inclusive ? observed >= slo.perSecond : observed > slo.perSecond
  const message = `${count} ${slo.of} in ${(windowNs / 1e9).toFixed(1)} s.`
  return { ...row, verdict: kept ? 'met' : 'missed', observed, message }
}

/** Requests over a limit, of all, which have such an effective sample size as a share. */
type Cluster = Readonly<Record<'bad' | 'of' | 'independent', number>>

function outlook({ verdict, needed }: Decision, cluster?: Cluster): string {
  if (verdict === 'undecided') {
    const why = cluster === undefined ? '' : clusterText(cluster)
    return `${why} ${needed} more clean requests needed for a decision.`
  }
  return ` ${verdict === 'met' ? 'Met' : 'Missed'} at ${percent(confidence)} confidence.`
}

/** Reason for `undecided`: requests over the limit that follow each other count as few observations. */
function clusterText({ bad, of, independent }: Cluster): string {
  const effective = Math.floor(of * independent)
  if (bad < 2 || independent > 0.5) return ''
  return ` The ${bad} came close together (effective sample ${effective} of ${of}), so they say little about other times.`
}

/** A mean at its limit is never decided. */
const maxNeeded = 1e7

function inPercent(of: number, count: number) {
  if (of === 0) return { observed: null, low: null, high: null, unit: '%' }
  const { low, high } = shareInterval(of, count)
  return { observed: (100 * count) / of, low: 100 * low, high: 100 * high, unit: '%' }
}

/** 1 - 0.99 is 0.010000000000000009 in binary; it is meant to be 0.01. */
function shareOver(q: number): number {
  return Number((1 - q).toPrecision(12))
}

export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(6))} %`
}

function text(ns: number): string {
  return ns < 1e9
    ? `${Number((ns / 1e6).toPrecision(4))} ms`
    : `${Number((ns / 1e9).toPrecision(4))} s`
}
