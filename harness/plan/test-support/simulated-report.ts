/** Capacity reports of engines whose truth is known: the queueing model of the reference server. */
import type { CapacityProbe } from '../../../contract/report/capacity/probe.ts'
import type { CapacityReport } from '../../../contract/report/capacity/report.ts'
import { defaultEngine, type EngineOptions } from '../../../reference-server/engine/engine.ts'
import { simulate } from '../../../reference-server/engine/simulate.ts'
import { drawOf, gamma, poissonArrivals } from '../simulation/requests.ts'
import { type Arrival, quantile } from '../simulation/simulate.ts'

export interface SimulatedRun {
  readonly engine?: Partial<EngineOptions>
  readonly rates: readonly number[]
  readonly durationMs?: number
  /** Time of the network and of HTTP. */
  readonly overheadMs?: number
  readonly seed?: string
  readonly replicas?: number
}

/** Requests of lengths as those of the default mix: prompts of about 75 tokens, answers of about 80. */
export function* requestsAt(perSecond: number, untilMs: number, seed: string): Generator<Arrival> {
  const draw = drawOf(seed, 'lengths')
  const times = poissonArrivals([{ fromMs: 0, perSecond }], untilMs, 1, drawOf(seed, 'times'))
  for (const atMs of times) {
    yield {
      atMs,
      promptTokens: 20 + Math.round(55 * gamma(2, draw) * 0.5),
      outputTokens: Math.max(1, Math.round(80 * gamma(4, draw) * 0.25)),
    }
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

export function simulatedReport({
  engine: changed,
  rates,
  durationMs = 60_000,
  overheadMs = 2,
  seed = 'run',
  replicas = 1,
}: SimulatedRun): CapacityReport {
  const engine = { ...defaultEngine, ...changed }
  const probes = rates.map((rate, index): CapacityProbe => {
    const requests = [...requestsAt(rate, durationMs, `${seed}-${index}`)]
    const answers = trueAnswers(engine, requests, replicas)
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
      ...emptyProbe,
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
  return { ...emptyReport, probes }
}

/** The same search as it ends if its budget is too short: the rates are probed, none is found. */
export function endedUndecided(report: CapacityReport): CapacityReport {
  const probes = report.probes.map((probe) => ({ ...probe, verdict: 'undecided' as const }))
  return { ...report, outcome: 'undecided', probes, result: nothingFound }
}

/** The same search as it ends if the generator keeps up with the lower half of the rates only. */
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

const nothingFound: CapacityReport['result'] = {
  rate: null,
  interval: null,
  confidence: 0.95,
  limitedBy: null,
  limit: null,
  firstFailing: null,
  highestMet: null,
  by: null,
  headroom: null,
  concurrency: null,
  tokensPerSecond: null,
}

const emptyProbe: CapacityProbe = {
  index: 0,
  purpose: 'search',
  rate: 1,
  clients: null,
  verdict: 'met',
  valid: true,
  stopped: null,
  atMs: 0,
  durationMs: 0,
  rest: null,
  slo: [],
  perSecond: {
    offered: 0,
    completed: 0,
    shed: 0,
    failed: 0,
    good: 0,
    inputTokens: null,
    outputTokens: 0,
  },
  concurrency: null,
  latencies: [],
  violated: [],
  generator: { verdict: 'valid', reasons: [], eventLoopUtilization: 0.1 },
  audits: [],
  samples: null,
  planHash: 'abc',
  report: null,
}

const emptyReport: CapacityReport = {
  kind: 'capacity-report',
  schemaVersion: 1,
  outcome: 'found',
  interrupted: false,
  suite: { version: '0.1.0', interface: '1' },
  target: { baseUrl: 'http://127.0.0.1:4010', surfaces: ['v3'] },
  seed: 'seed',
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs: 600_000,
  loop: 'open',
  config: {
    slos: ['ttft.p95 < 400ms'],
    min: 1,
    max: 100,
    precision: 0.05,
    budgetMs: 600_000,
    headroom: 0.7,
    probeMs: 60_000,
    arrival: 'poisson',
    workers: 1,
    timeoutMs: 60_000,
    mixName: 'v3-stream',
    mix: {},
  },
  result: {
    rate: 5,
    interval: [4.8, 5.2],
    confidence: 0.95,
    limitedBy: 'ttft.p95 < 400ms',
    limit: 'capacity',
    firstFailing: 5.5,
    highestMet: 4.8,
    by: 'fit',
    headroom: { share: 0.7, rate: 3.5 },
    concurrency: null,
    tokensPerSecond: null,
  },
  probes: [],
  frontier: [],
  policyLimit: null,
  hysteresis: null,
  drift: null,
  generator: {
    verdict: 'valid',
    reasons: [],
    environment: {
      node: 'v24',
      platform: 'linux',
      cpus: 2,
      cpuModel: 'cpu',
      loadAverage: 0.1,
    },
    holds: null,
  },
  notes: [],
  faults: [],
}
