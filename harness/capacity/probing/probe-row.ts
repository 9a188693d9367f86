/** The row of a probe in the report, and the part of it that the search decides on. */
import { meanOf } from '../../../contract/averages.ts'
import type {
  CapacityProbe,
  ProbeLatency,
  SloMargin,
} from '../../../reports/capacity/model/probe.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { policyLimitOf } from '../policy-limit.ts'
import {
  independentShare,
  type LimitCount,
  limitVerdictOf,
  type Probe,
  verdictOf,
} from '../probe.ts'
import type { ProbeRun } from './load-probe.ts'
import type { ProbeLimit } from './probe-limits.ts'
import { admissionsOf, answered, samplesOf } from './probe-observer.ts'

interface ProbeFacts extends Pick<CapacityProbe, 'index' | 'purpose' | 'atMs' | 'rest'> {
  /** Transactions per second of an open loop, clients of a closed one. */
  readonly load: number
  readonly loop: 'open' | 'closed'
  /** Latency without load; null if it is not known. */
  readonly unloadedMs: number | null
}

export function measuredProbe(run: ProbeRun, facts: ProbeFacts) {
  const { report, stopped, observer } = run
  const { requests } = observer
  const { rates, goodput, window, generator } = report
  const measured = requests.filter(({ plannedNs, isPreparation }) => {
    return !isPreparation && plannedNs >= window.fromMs * 1e6 && plannedNs < window.toMs * 1e6
  })
  const inOrder = measured.toSorted((a, b) => a.plannedNs - b.plannedNs)
  const counted = observer.limits.map((limit, index): CountedLimit => {
    const { observed, unit } = report.slo.find((row) => row.expression === limit.expression) ?? {}
    // A share of good requests says nothing if none of them has the latency that it limits.
    const isUnmeasured = unit === '%' && observed === null
    const series = isUnmeasured ? [] : inOrder.flatMap(({ over }) => over[index] ?? [])
    return { limit, count: countOf(limit, series) }
  })
  const isWhole = stopped !== 'interrupted' && report.partial === undefined
  const isValid = generator.verdict !== 'invalid' && isWhole
  const policy = policyOf(run, counted, facts.unloadedMs)
  const probe: Probe = {
    rate: facts.load,
    limits: counted.map(({ count }) => count),
    atMs: facts.atMs,
    valid: isValid,
    ...(isDisturbed(report) ? { isDisturbed: true } : {}),
    ...(policy === null ? {} : { policy }),
  }
  const residenceMs = meanOf(measured.map(({ startNs, endNs }) => (endNs - startNs) / 1e6))
  // Of all answers: those of a list have no tokens.
  const answers = answered(requests)
  const meanTokens = (name: 'promptTokens' | 'outputTokens') =>
    answers.some((request) => request[name] !== null)
      ? meanOf(answers.map((request) => request[name] ?? 0))
      : null
  const promptTokens = meanTokens('promptTokens')
  const rate = facts.loop === 'open' ? facts.load : rates.completed.perSecond
  const row: CapacityProbe = {
    index: facts.index,
    purpose: facts.purpose,
    rate,
    clients: facts.loop === 'closed' ? facts.load : null,
    verdict: isValid ? verdictOf(probe) : 'invalid',
    valid: isValid,
    stopped,
    atMs: facts.atMs,
    durationMs: report.durationMs,
    rest: facts.rest,
    slo: counted.map((limit) => marginOf(limit, report)),
    perSecond: {
      offered: rates.offered.perSecond,
      completed: rates.completed.perSecond,
      shed: rates.shed.perSecond,
      failed: rates.failed.perSecond,
      good: goodput.perSecond,
      inputTokens: promptTokens === null ? null : promptTokens * rates.completed.perSecond,
      outputTokens: (meanTokens('outputTokens') ?? 0) * rates.completed.perSecond,
    },
    concurrency: residenceMs === null ? null : (rates.dispatched.perSecond * residenceMs) / 1000,
    latencies: latenciesOf(report),
    violated: report.integrity.findings.flatMap(({ id, level }) =>
      level === 'required' ? id : [],
    ),
    generator: {
      verdict: generator.verdict,
      reasons: generator.reasons,
      eventLoopUtilization: generator.eventLoopUtilization,
    },
    audits: report.audits,
    samples: samplesOf(requests),
    planHash: report.plan.hash,
    report: run.path,
  }
  return { row, probe }
}

/** A limit, and the requests planned in the measured window that it counts. */
interface CountedLimit {
  readonly limit: ProbeLimit
  readonly count: LimitCount
}

function countOf({ expression, allowed }: ProbeLimit, series: readonly number[]): LimitCount {
  return {
    slo: expression,
    allowed,
    requests: series.length,
    over: series.reduce((sum, value) => sum + value, 0),
    independent: independentShare(series),
  }
}

/** CPU share of a thread below which a generator has no queue of its own that could delay it. */
const hardlyBusy = 0.5
const nearlyAll = 0.9

function isDisturbed({ generator, rates, durationMs }: LoadReport): boolean {
  // Arrivals dropped because of too many requests in flight do not mean lateness.
  if (rates.dispatched.count < nearlyAll * rates.offered.count) return false
  // An event loop that waits for a CPU counts as busy, so the CPU time of its thread is the better measure.
  const busiest = Math.max(
    ...generator.workers.map(({ cpuMs, eventLoopUtilization }) =>
      cpuMs === null ? eventLoopUtilization : cpuMs / durationMs,
    ),
  )
  return generator.verdict === 'invalid' && busiest < hardlyBusy
}

/** Refusals indicate a policy only if nothing else fails. */
function policyOf(
  { report, observer }: ProbeRun,
  counted: readonly CountedLimit[],
  unloadedMs: number | null,
) {
  const failed = report.errors.reduce((sum, { count }) => sum + count, 0)
  const refused = report.errors.reduce((sum, row) => sum + (row.kind === 'shed' ? row.count : 0), 0)
  const slow = counted.some(({ limit, count }) => {
    return !limit.isFailures && limitVerdictOf(count) === 'missed'
  })
  if (slow || refused < 0.9 * failed || refused === 0) return null
  return policyLimitOf(admissionsOf(observer.requests), unloadedMs)
}

function marginOf({ limit: { limitMs }, count }: CountedLimit, report: LoadReport): SloMargin {
  const { slo, requests, over, allowed, independent } = count
  const isLatency = limitMs !== null
  const row = report.slo.find(({ expression }) => expression === slo)
  const observed = isLatency ? (row?.observed ?? null) : requests === 0 ? null : over / requests
  const bound = limitMs ?? allowed
  return {
    expression: slo,
    verdict: limitVerdictOf(count),
    observed,
    limit: bound,
    unit: isLatency ? 'ms' : 'share',
    margin: observed === null || bound === 0 ? null : (bound - observed) / bound,
    over: Math.round(over),
    requests,
    allowed,
    independent,
  }
}

const latencyMetrics = ['ttft', 'tpot', 'e2e'] as const

function latenciesOf({ metrics }: LoadReport): ProbeLatency[] {
  return latencyMetrics.flatMap((metric) => {
    const found = metrics.find(({ name }) => name === metric)
    return (['service', 'response'] as const).flatMap((clock): ProbeLatency[] => {
      const { count, mean, quantiles } = found?.[clock] ?? {}
      if (count === undefined || mean === undefined) return []
      const at = (q: number) => quantiles?.find((each) => each.q === q)?.value ?? null
      const levels = { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99) }
      return [{ metric, clock, count, mean, ...levels }]
    })
  })
}
