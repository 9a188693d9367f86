/** Capacity reports of engines whose true behavior is known: the queueing model of the reference server. */
import {
  defaultEngine,
  type EngineOptions,
  simulate,
} from '../../../reference-server/engine/engine.ts'
import type { CapacityProbe } from '../../../reports/capacity/model/probe.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import {
  capacityProbeOf,
  capacityReportOf,
  nothingFound,
} from '../../../reports/test-support/measurements.ts'
import type { Draw } from '../../load/plan/random.ts'
import { drawOf, gamma, poissonArrivals, type RequestLength } from '../simulation/requests.ts'
import { type Arrival, quantile, withLengths } from '../simulation/simulate.ts'

const slo = 'ttft.p95 < 400ms'

interface SimulatedRun {
  readonly engine?: Partial<EngineOptions>
  readonly rates: readonly number[]
  readonly durationMs?: number
  /** Time of the network and of HTTP. */
  readonly overheadMs?: number
  readonly seed?: string
  readonly replicas?: number
  /** Requests of each rate; by default those of the default mix. */
  readonly requests?: typeof requestsAt
  /** Speed of the engine in a probe, 1 for the usual one. */
  readonly speedOf?: (probe: number) => number
  /** Answers of another target than the engine. */
  readonly answer?: (requests: readonly Arrival[]) => readonly TrueAnswer[]
}

type TrueAnswer = Pick<
  NonNullable<ReturnType<typeof simulate>[number]>,
  'ttftMs' | 'latencyMs'
> | null

/** Requests of lengths as those of the default mix: prompts of about 75 tokens, answers of about 80. */
export const requestsAt = requestsOfLengths((draw) => ({
  promptTokens: 20 + Math.round(55 * gamma(2, draw) * 0.5),
  outputTokens: Math.max(1, Math.round(80 * gamma(4, draw) * 0.25)),
}))

/** Poisson arrivals of requests with drawn lengths, for each rate. */
export function requestsOfLengths(lengthOf: (draw: Draw) => RequestLength) {
  return (perSecond: number, untilMs: number, seed: string) => {
    const draw = drawOf(seed, 'lengths')
    const times = poissonArrivals([{ fromMs: 0, perSecond }], untilMs, 1, drawOf(seed, 'times'))
    return withLengths(times, () => lengthOf(draw))
  }
}

/** True answers of replicas behind round robin, in the order of the requests. */
export function trueAnswers(engine: EngineOptions, requests: readonly Arrival[], replicas: number) {
  const answers: (ReturnType<typeof simulate>[number] | undefined)[] = []
  for (let replica = 0; replica < replicas; replica++) {
    const own = requests.flatMap((request, id) =>
      id % replicas === replica ? [{ request, id }] : [],
    )
    const found = simulate(
      engine,
      own.map(({ request }) => request),
    )
    for (const [at, { id }] of own.entries()) answers[id] = found[at]
  }
  return answers.map((answer) => answer ?? null)
}

function withSpeed(engine: EngineOptions, speed: number): EngineOptions {
  return {
    ...engine,
    prefillMsPerToken: engine.prefillMsPerToken / speed,
    decodeMs: engine.decodeMs / speed,
    decodeMsPerSeq: engine.decodeMsPerSeq / speed,
  }
}

export function simulatedReport({
  engine: changed,
  rates,
  durationMs = 60_000,
  overheadMs = 2,
  seed = 'run',
  replicas = 1,
  requests: requestsOf = requestsAt,
  speedOf = () => 1,
  answer,
}: SimulatedRun): CapacityReport {
  const engine = { ...defaultEngine, ...changed }
  const probes = rates.map((rate, index): CapacityProbe => {
    const requests = [...requestsOf(rate, durationMs, `${seed}-${index}`)]
    const answers =
      answer?.(requests) ?? trueAnswers(withSpeed(engine, speedOf(index)), requests, replicas)
    const rows = requests.flatMap((request, id) => {
      const answer = answers[id] ?? null
      if (answer === null) return []
      const { atMs, promptTokens, outputTokens } = request
      const ttftMs = answer.ttftMs + overheadMs
      const e2eMs = answer.latencyMs + overheadMs
      const tpotMs = outputTokens > 1 ? (e2eMs - ttftMs) / (outputTokens - 1) : null
      return [{ atMs, promptTokens, outputTokens, ttftMs, e2eMs, tpotMs }]
    })
    const seconds = durationMs / 1000
    const refused = requests.length - rows.length
    const completed = rows.filter(({ atMs, e2eMs }) => atMs + e2eMs < durationMs).length
    return {
      ...capacityProbeOf({ slo: [] }),
      index,
      rate,
      durationMs,
      perSecond: {
        offered: requests.length / seconds,
        completed: completed / seconds,
        shed: 0,
        failed: refused / seconds,
        good: completed / seconds,
        inputTokens: null,
        outputTokens: rows.reduce((sum, row) => sum + row.outputTokens, 0) / seconds,
      },
      latencies: (['ttft', 'tpot', 'e2e'] as const).map((metric) => {
        const key = `${metric}Ms` as const
        const values = Float64Array.from(rows.flatMap((row) => row[key] ?? [])).sort()
        const at = (q: number) => (values.length * (1 - q) < 3 ? null : quantile(values, q))
        return {
          metric,
          clock: 'response',
          count: values.length,
          mean: null,
          p50: at(0.5),
          p90: at(0.9),
          p95: at(0.95),
          p99: at(0.99),
        }
      }),
      samples: {
        of: rows.length,
        sentMs: rows.map(({ atMs }) => atMs),
        transaction: rows.map(() => 'v3-stream'),
        promptTokens: rows.map(({ promptTokens }) => promptTokens),
        outputTokens: rows.map(({ outputTokens }) => outputTokens),
        ttftMs: rows.map(({ ttftMs }) => ttftMs),
        e2eMs: rows.map(({ e2eMs }) => e2eMs),
        tpotMs: rows.map(({ tpotMs }) => tpotMs),
        inFlight: rows.map(
          ({ atMs }) =>
            rows.filter((other) => other.atMs < atMs && other.atMs + other.e2eMs > atMs).length,
        ),
      },
    }
  })
  const config = { ...capacityReportOf().config, slos: [slo], max: 100, mixName: 'v3-stream' }
  return capacityReportOf({ config, probes, frontier: [] })
}

/** The same search ended by a short budget: rates were probed, but none was found. */
export function endedUndecided(report: CapacityReport): CapacityReport {
  const probes = report.probes.map((probe) => ({ ...probe, verdict: 'undecided' as const }))
  return { ...report, outcome: 'undecided', probes, result: nothingFound }
}

/** The same search with a generator that keeps up only with the lower half of the rates. */
export function endedInvalid(report: CapacityReport): CapacityReport {
  const held = Math.ceil(report.probes.length / 2)
  const late: CapacityProbe['generator'] = {
    verdict: 'invalid',
    reasons: ['its timestamps were up to 28.0 ms late (p99)'],
    eventLoopUtilization: 0.98,
  }
  const probes = report.probes.map((probe, at): CapacityProbe => {
    if (at < held) return { ...probe, verdict: 'undecided' }
    return { ...probe, verdict: 'invalid', valid: false, generator: late }
  })
  const reasons = [`probe ${held}: ${late.reasons.join('; ')}`]
  const holds = report.probes[held - 1]?.rate ?? null
  const generator = { ...report.generator, verdict: late.verdict, reasons, holds }
  return { ...report, outcome: 'invalid', probes, result: nothingFound, generator }
}
