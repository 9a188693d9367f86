import { quantileName } from '../../../contract/averages.ts'
import type { Quantile, SloLimit, SloRow } from '../../../reports/load/model/measures.ts'
import { milliseconds } from '../metrics/samples/histogram.ts'
import { confidence, type Decision, decideShare, shareInterval } from '../statistics/shares.ts'
import type { LatencySlo, RateSlo, RequestLimit, Slo } from './slo.ts'

/** Measurements that SLOs are decided on, all of one window. */
export interface SloEvidence {
  latency(of: RequestLimit): LatencyEvidence
  readonly goodput: ShareEvidence
  readonly errors: ShareEvidence
  readonly windowNs: number
  readonly completed: number
  readonly outputTokens: number
}

export interface LatencyEvidence {
  /**
   * Requests known to be within or over the limit, and those over it. One that is still running counts once
   * it is over, and is unknown before.
   */
  readonly decided: number
  readonly over: number
  /** Effective sample size as a share of all. */
  readonly independent: number
  readonly meanNs: number | null
  readonly deviationNs: number | null
  /** Values in the mean. */
  readonly count: number
  quantile(q: number): Quantile
}

/** A count out of a total. */
export interface ShareEvidence {
  readonly count: number
  readonly of: number
  readonly independent: number
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
  switch (slo.kind) {
    case 'latency': {
      const measured = evidence.latency(slo)
      return slo.statistic === 'mean'
        ? decideMean(slo, measured)
        : decideQuantile(slo, slo.statistic.quantile, measured)
    }
    case 'goodput': {
      const bad = evidence.goodput.of - evidence.goodput.count
      const allowed = shareOver(slo.minShare)
      const observation = `were good; ${bad} were not, ${percent(allowed)} may be`
      return decideDue(slo.expression, { ...evidence.goodput, bad, allowed }, observation)
    }
    case 'errors': {
      const { count: bad } = evidence.errors
      const observation = `failed; ${percent(slo.maxShare)} may`
      const limited = { ...evidence.errors, bad, allowed: slo.maxShare }
      return decideDue(slo.expression, limited, observation)
    }
    case 'rate':
      return decideRate(slo, evidence)
  }
}

function decideQuantile(slo: LatencySlo, q: number, measured: LatencyEvidence): SloRow {
  const { decided, over, independent } = measured
  const decision = decideShare(decided, over, shareOver(q), independent)
  const { value, low, high } = measured.quantile(q)
  const observation = `${over} of ${decided} ${slo.metric === 'icl' ? 'gaps' : 'requests'} were over ${text(slo.limitNs)}`
  return {
    expression: slo.expression,
    ...decision,
    observed: milliseconds(value),
    low: milliseconds(low),
    high: milliseconds(high),
    unit: 'ms',
    message: `${observation}; ${quantileName(q)} allows ${percent(shareOver(q))}.${outlook(decision, { ...measured, bad: over, of: decided })}`,
  }
}

/**
 * The mean is met or missed if the limit lies outside its one-sided 99 % bound, on the effective
 * sample: 2.326 standard errors. Under 30 independent values the normal approximation is not used.
 */
function decideMean(slo: LatencySlo, measured: LatencyEvidence): SloRow {
  const { count, independent, meanNs, deviationNs } = measured
  const row = { expression: slo.expression, unit: 'ms', observed: milliseconds(meanNs) }
  const effective = Math.floor(count * independent)
  const room = slo.limitNs - (meanNs ?? 0)
  const deviation = deviationNs ?? 0
  const required = Math.max(30, Math.ceil((2.326 * deviation) ** 2 / room ** 2) || 30)
  const decision: Decision =
    meanNs === null || effective < required
      ? { verdict: 'undecided', needed: neededFor(required - effective, independent) }
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
  {
    count,
    of,
    independent,
    bad,
    allowed,
  }: ShareEvidence & Readonly<Record<'bad' | 'allowed', number>>,
  observation: string,
): SloRow {
  const decision = decideShare(of, bad, allowed, independent)
  const message = `${count} of ${of} due requests ${observation}.${outlook(decision, { bad, of, independent })}`
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

interface Cluster extends Omit<ShareEvidence, 'count'> {
  readonly bad: number
}

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

/** Requests still needed, at most ten million: a mean at its limit is never decided. */
function neededFor(effective: number, independent: number): number {
  return Math.min(1e7, Math.max(1, Math.ceil(effective / independent)))
}

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
