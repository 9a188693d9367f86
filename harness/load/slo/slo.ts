import type { MetricName } from '../../../reports/load/model/measures.ts'

/** A service level objective, as given by `--slo`. */
export type Slo = LatencySlo | GoodputSlo | ErrorsSlo | RateSlo

/**
 * A latency counts from the planned moment (`response`) unless the expression says `service`. A caller waits
 * from the moment of the request; `service` starts when the request was written, so it omits the wait that a
 * stalled target causes for the requests behind it (coordinated omission: a target that freezes for 5 s shows
 * one slow request in it, not hundreds).
 */
export type Clock = 'service' | 'response'

/** Metrics measured from both moments; the others start at an event of the answer. */
export const twoClocked: readonly MetricName[] = ['ttfb', 'ttfe', 'ttft', 'ttfo', 'e2e']

/** Limit that a good request meets. */
export interface RequestLimit {
  readonly metric: MetricName
  readonly clock: Clock
  readonly limitNs: number
  /** True for `<=`: a request at exactly the limit meets it. */
  readonly inclusive: boolean
}

export function isOver({ limitNs, inclusive }: RequestLimit, ns: number): boolean {
  return inclusive ? ns > limitNs : ns >= limitNs
}

export interface LatencySlo extends RequestLimit {
  readonly kind: 'latency'
  readonly expression: string
  /** A share of the requests, between 0 and 1, or their mean. */
  readonly statistic: { readonly quantile: number } | 'mean'
}

export interface GoodputSlo {
  readonly kind: 'goodput'
  readonly expression: string
  /** Null for a bare `goodput`: see `goodputLimits`. */
  readonly limits: readonly RequestLimit[] | null
  /** Share of the due requests, between 0 and 1. */
  readonly minShare: number
}

export interface ErrorsSlo {
  readonly kind: 'errors'
  readonly expression: string
  readonly maxShare: number
}

export interface RateSlo {
  readonly kind: 'rate'
  readonly expression: string
  /** Completed requests, or tokens that arrived. */
  readonly of: 'requests' | 'tokens'
  readonly perSecond: number
  readonly inclusive: boolean
}

/**
 * Limits of a good request in a run with these SLOs: those that a `goodput(…)` names, and otherwise every
 * latency of a single request that any of them limits at p90 or above. Such a limit applies to each request,
 * with a tolerated share; a median describes only the middle.
 */
export function goodputLimits(slos: readonly Slo[]): readonly RequestLimit[] {
  for (const slo of slos) if (slo.kind === 'goodput' && slo.limits !== null) return slo.limits
  return slos.flatMap((slo) => {
    if (slo.kind !== 'latency' || slo.statistic === 'mean' || slo.metric === 'icl') return []
    if (slo.statistic.quantile < 0.9) return []
    const { metric, clock, limitNs, inclusive } = slo
    return [{ metric, clock, limitNs, inclusive }]
  })
}

/** True if a limit needs the gaps within each stream. */
export function limitsGaps(slos: readonly Slo[]): boolean {
  const limits = [...slos.filter((slo) => slo.kind === 'latency'), ...goodputLimits(slos)]
  return limits.some(({ metric }) => metric === 'icl' || metric === 'max_gap')
}
