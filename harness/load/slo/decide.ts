import { quantileName } from '../../../contract/averages.ts'
import type { SloLimit, SloRow } from '../../../reports/load/model/measures.ts'
import { countDecided, countDue, type LatencyRecorder } from '../metrics/latency-recorder.ts'
import { censoredSample } from '../metrics/samples/distribution.ts'
import { Histogram, milliseconds } from '../metrics/samples/histogram.ts'
import { quantileEstimate } from '../statistics/quantile-interval.ts'
import { confidence, type Decision, decideShare, shareInterval } from '../statistics/shares.ts'
import type { sloEvidence } from '../summary/window.ts'
import type { LatencySlo, RateSlo, RequestLimit, Slo } from './slo.ts'

/** Measurements that SLOs are decided on, all of one window. */
type SloEvidence = Readonly<ReturnType<typeof sloEvidence>>

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
    case 'latency':
      return slo.statistic === 'mean'
        ? decideMean(slo, evidence)
        : decideQuantile(slo, slo.statistic.quantile, evidence)
    case 'goodput': {
      const good = ({ outcomes }: LatencyRecorder) => {
        return { count: outcomes.good, of: countDecided(outcomes) }
      }
      const { count, of } = good(evidence.group)
      const unmeasured = slo.limits?.find(({ metric, clock }) => {
        return evidence.group.latencies(metric, clock).count === 0
      })
      if (unmeasured !== undefined && count > 0)
        return undecidedRow(slo.expression, '%', `No request had a ${unmeasured.metric}.`)
      const [bad, allowed] = [of - count, shareOver(slo.minShare)]
      const due = { count, of, bad, allowed, independent: evidence.independent(good) }
      const observation = `were good; ${bad} were not, ${percent(allowed)} may be`
      return decideDue(slo.expression, due, observation)
    }
    case 'errors': {
      const failed = ({ outcomes }: LatencyRecorder) => {
        return { count: countDue(outcomes) - outcomes.ok, of: countDue(outcomes) }
      }
      const { count: bad, of } = failed(evidence.group)
      const [independent, allowed] = [evidence.independent(failed), slo.maxShare]
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
  // A request that is still running counts once it is over the limit, and is unknown before.
  const overLimit = (slice: LatencyRecorder) => slice.over(slo)
  const { count: over, of } = overLimit(evidence.group)
  const independent = Math.min(
    evidence.independent(overLimit),
    evidence.group.streamShare(slo.metric),
  )
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
 * Requests that are still running count with their time so far: the mean is at least that, so it can be
 * missed, but not met.
 */
function decideMean(slo: LatencySlo, evidence: SloEvidence): SloRow {
  const open = evidence.group.censored(slo.metric, slo.clock)
  const ended = evidence.group.latencies(slo.metric, slo.clock)
  const { count, meanNs, deviationNs } = new Histogram().merge(ended).merge(open)
  const sums = (slice: LatencyRecorder) => {
    const own = slice.latencies(slo.metric, slo.clock)
    return { count: own.count * (own.meanNs ?? 0), of: own.count }
  }
  const independent = Math.min(
    evidence.independent(sums, (ended.deviationNs ?? 0) ** 2),
    evidence.group.streamShare(slo.metric),
  )
  const row = { expression: slo.expression, unit: 'ms', observed: milliseconds(meanNs) }
  const effective = Math.floor(count * independent)
  const room = slo.limitNs - (meanNs ?? 0)
  const deviation = deviationNs ?? 0
  const required = Math.max(30, Math.ceil((2.326 * deviation) ** 2 / room ** 2) || 30)
  const missing = Math.ceil((required - effective) / independent)
  const isOpen = open.count > 0 && room >= 0
  const decision: Decision =
    meanNs === null || effective < required || isOpen
      ? { verdict: 'undecided', needed: Math.min(maxNeeded, Math.max(1, missing)) }
      : { verdict: room > 0 || (room === 0 && slo.inclusive) ? 'met' : 'missed', needed: null }
  // 1.96 standard errors on either side: the 95 % interval, as of the quantiles.
  const half = effective < 30 ? null : (1.96 * deviation) / Math.sqrt(effective)
  const atLeast = open.count === 0 ? '' : `at least `
  const running = open.count === 0 ? '' : `, of which ${open.count} were still running at the end`
  const observation =
    meanNs === null
      ? 'Nothing was measured.'
      : `Mean ${atLeast}${text(meanNs)} of ${count}${running}.`
  return {
    ...row,
    ...decision,
    low: half === null || meanNs === null ? null : milliseconds(meanNs - half),
    high: half === null || meanNs === null || open.count > 0 ? null : milliseconds(meanNs + half),
    message: `${observation}${isOpen ? ' An SLO for a mean is met only after all requests have ended: pass a longer --drain.' : outlook(decision)}`,
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
  return { expression, ...decision, ...inPercent(due), message }
}

/** Decides a rate, which is counted in the window, not estimated. */
function decideRate(slo: RateSlo, evidence: SloEvidence): SloRow {
  const { windowNs, completed, outputTokens } = evidence
  const count = slo.of === 'requests' ? completed : outputTokens
  if (windowNs <= 0) return undecidedRow(slo.expression, '/s', 'There is no measured window.')
  if (count === 0 && completed > 0) {
    return undecidedRow(slo.expression, '/s', 'No response reported its number of tokens.')
  }
  const row = { expression: slo.expression, low: null, high: null, unit: '/s', needed: null }
  const observed = count / (windowNs / 1e9)
  const kept = slo.inclusive ? observed >= slo.perSecond : observed > slo.perSecond
  const message = `${count} ${slo.of} in ${(windowNs / 1e9).toFixed(1)} s.`
  return { ...row, verdict: kept ? 'met' : 'missed', observed, message }
}

/** Row of an SLO about a figure that nothing measured. */
export function undecidedRow(expression: string, unit: string, message: string): SloRow {
  const nothing = { observed: null, low: null, high: null, unit, needed: null }
  return { expression, verdict: 'undecided', ...nothing, message }
}

/** Requests over a limit, of all, which have such an effective sample size as a share. */
type Counted = Readonly<Record<'bad' | 'of' | 'independent', number>>

function outlook({ verdict, needed }: Decision, counted?: Counted): string {
  if (verdict === 'undecided') {
    const why = counted === undefined ? '' : clusterText(counted)
    return `${why} ${needed} more clean requests needed for a decision.`
  }
  return ` ${verdict === 'met' ? 'Met' : 'Missed'} at ${percent(confidence)} confidence.`
}

/** Reason for `undecided`: requests over the limit that follow each other count as few observations. */
function clusterText({ bad, of, independent }: Counted): string {
  const effective = Math.floor(of * independent)
  if (bad < 2 || independent > 0.5) return ''
  return ` The ${bad} came close together (effective sample ${effective} of ${of}), so they say little about other times.`
}

/** A mean at its limit is never decided. */
const maxNeeded = 1e7

function inPercent({
  of,
  count,
  independent,
}: Readonly<Record<'of' | 'count' | 'independent', number>>) {
  if (of === 0) return { observed: null, low: null, high: null, unit: '%' }
  const effective = Math.max(1, Math.floor(of * independent))
  const { low, high } = shareInterval(effective, (effective * count) / of)
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
