/** SLOs of a search as limits of single requests, so that the requests over each can be counted. */
import { generatorLimits } from '../../load/generator/verdict.ts'
import { hasWaitedLonger, isGood } from '../../load/metrics/latency-recorder.ts'
import { latencyOf } from '../../load/metrics/samples/latency-definitions.ts'
import { InputError } from '../../load/options.ts'
import type { RequestRecord } from '../../load/record.ts'
import { defaultMaxRefusals } from '../../load/slo/implied.ts'
import {
  goodputLimits,
  isOver,
  type LatencySlo,
  type RequestLimit,
  type Slo,
} from '../../load/slo/slo.ts'

export interface ProbeLimit {
  readonly expression: string
  /** Share that may be over the limit, 0 to 1. */
  readonly allowed: number
  /** Milliseconds; null if the limit is the share itself. */
  readonly limitMs: number | null
  /** 1 if over, 0 if within, a share for a request with many gaps; null if the request does not count. */
  readonly read: (record: RequestRecord) => number | null
  /** True of failures, which are limited even if no SLO mentions them. */
  readonly isFailures: boolean
}

/**
 * @param maxRefusals share of failures if no SLO limits errors or goodput
 * @throws InputError for a mean or a rate, which limits no share of requests
 */
export function probeLimits(slos: readonly Slo[], maxRefusals?: number): readonly ProbeLimit[] {
  const limits = slos.map((slo) => limitOf(slo, slos))
  if (limits.some(({ isFailures }) => isFailures)) return limits
  return [...limits, failures(maxRefusals ?? defaultMaxRefusals)]
}

/** Tolerated lateness of a timestamp, as a share of a limit: it moves few requests over it. */
const tolerated = 0.1

/** Lateness of timestamps, p99 in milliseconds, up to which a probe decides these SLOs. */
export function maxTimestampErrorOf(slos: readonly Slo[]): number {
  const limits = slos.flatMap((slo) => (slo.kind === 'latency' ? slo.limitNs / 1e6 : []))
  const minErrorMs = generatorLimits.timestampError.invalid
  return limits.length === 0 ? minErrorMs : Math.max(minErrorMs, tolerated * Math.min(...limits))
}

function limitOf(slo: Slo, all: readonly Slo[]): ProbeLimit {
  const { expression } = slo
  switch (slo.kind) {
    case 'latency':
      return latencyLimit(slo)
    case 'errors':
      return { ...failures(slo.maxShare), expression }
    case 'goodput': {
      const limits = goodputLimits(all)
      const read = (record: RequestRecord) => {
        const good = isGood(record, limits)
        return good === null ? null : 1 - Number(good)
      }
      return { expression, allowed: 1 - slo.minShare, limitMs: null, read, isFailures: true }
    }
    case 'rate':
      throw new InputError(
        `${expression}: the search itself varies the rate; give a latency quantile, errors or goodput`,
      )
  }
}

function latencyLimit(slo: LatencySlo): ProbeLimit {
  const { expression, statistic, limitNs, metric } = slo
  if (statistic === 'mean') {
    throw new InputError(
      `${expression}: a mean is not a share of requests; give a quantile, such as p95`,
    )
  }
  return {
    expression,
    allowed: Number((1 - statistic.quantile).toPrecision(12)),
    limitMs: limitNs / 1e6,
    read: metric === 'icl' ? gapsOver(slo) : (record) => requestOver(slo, record),
    isFailures: false,
  }
}

/** A request that never reached the event is over the limit once it has waited longer. */
function requestOver(limit: RequestLimit, record: RequestRecord): number | null {
  const ns = latencyOf(record, limit.metric, limit.clock)
  if (ns !== null) return Number(isOver(limit, ns))
  return hasWaitedLonger(record, limit) ? 1 : null
}

const gapsOver = (limit: RequestLimit) => (record: RequestRecord) => {
  const { gapsNs, outcome } = record
  if (gapsNs.length === 0 || outcome.kind === 'abandoned') return null
  return gapsNs.filter((gap) => isOver(limit, gap)).length / gapsNs.length
}

function failures(allowed: number): ProbeLimit {
  const read = (record: RequestRecord) => (isSettled(record) ? Number(isFailure(record)) : null)
  const expression = `failures <= ${Number((100 * allowed).toPrecision(6))}%`
  return { expression, allowed, limitMs: null, read, isFailures: true }
}

/** A stalled answer is not a success. */
function isFailure({ outcome }: RequestRecord): boolean {
  return outcome.kind === 'open' || 'detail' in outcome
}

function isSettled({ outcome }: RequestRecord): boolean {
  return outcome.kind === 'open' ? outcome.isStalled === true : outcome.kind !== 'abandoned'
}
