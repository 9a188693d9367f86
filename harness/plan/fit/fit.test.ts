import { describe, expect, test } from 'vitest'
import { defaultEngine } from '../../../reference-server/engine/engine.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import { notesOf } from '../describe.ts'
import { predictRun } from '../predict.ts'
import { iterationMs, type ServiceModel } from '../simulation/replica.ts'
import { type Arrival, quantile, simulateOpen } from '../simulation/simulate.ts'
import {
  requestsAt,
  requestsOfLengths,
  simulatedReport,
  trueAnswers,
} from '../test-support/simulated-report.ts'
import { type FittedModel, fitServiceModel, UnfittedRunError } from './fit.ts'

const alone = { replicas: 1, balance: 'round-robin' } as const

/** Predicted ttft.p95 under a steady rate of requests with the measured lengths. */
function ttft95(model: ServiceModel, { lengths }: FittedModel, perSecond: number, replicas = 1) {
  const pieces = [{ fromMs: 0, perSecond }]
  const workload = { kind: 'open', pieces, untilMs: Number.MAX_VALUE } as const
  const size = { ...alone, replicas, lengths, requests: 30_000, seed: 'seed' }
  return quantile(predictRun(model, workload, size).latencies.ttft, 0.95)
}

describe('a service model fitted from one replica', () => {
  const rates = [0.5, 1, 2, 3, 3.5, 4, 4.2, 4.5, 4.8, 5]
  const fitted = fitServiceModel(simulatedReport({ rates, durationMs: 150_000 }), alone)

  test('has the batch limit of the engine and reproduces the measurement', () => {
    expect(fitted).toMatchObject({ hasSeenLimit: true })
    expect(fitted.model.maxSequences).toBe(defaultEngine.maxNumSeqs)
    expect(fitted.typicalError).toBeLessThan(0.03)
  })

  test('predicts ttft.p95 of three replicas within 15 %', () => {
    for (const perSecond of [4, 9]) {
      const requests = [...requestsAt(perSecond, 3_000_000, 'truth')]
      const answers = trueAnswers(defaultEngine, requests, 3)
      const ttfts = answers.flatMap((answer) => (answer === null ? [] : answer.ttftMs + 2))
      const true95 = quantile(Float64Array.from(ttfts).sort(), 0.95)
      const found95 = ttft95(fitted.model, fitted, perSecond, 3)
      expect(Math.abs(found95 / true95 - 1)).toBeLessThan(0.15)
    }
  })
})

/** Prompts take most of the time of such a replica, and all running sequences wait for them. */
const promptBound = { maxNumSeqs: 4, prefillMsPerToken: 3, decodeMs: 0.3, decodeMsPerSeq: 2.2 }
const seeds = Array.from({ length: 10 }, (_, at) => `seed-${at}`)

describe.each([
  ['bound by its iterations', {}, [0.3, 1, 2, 4, 3.4, 3.7, 3.9]],
  ['bound by its prompts', promptBound, [0.2, 0.6, 1.2, 2.4, 1.9, 2.1, 2.3]],
] as const)('a fit of a replica that is %s', (_, changed, rates) => {
  const engine = { ...defaultEngine, ...changed }

  test.each(seeds)('has its parameters within 10 % (%s)', (seed) => {
    const { model } = fitServiceModel(
      simulatedReport({ engine, rates, durationMs: 20_000, seed }),
      alone,
    )
    expect(model.maxSequences).toBe(engine.maxNumSeqs)
    expect(Math.abs(model.prefillMsPerToken / engine.prefillMsPerToken - 1)).toBeLessThan(0.1)
    for (const running of [1, engine.maxNumSeqs]) {
      const stepMs = engine.decodeMs + running * engine.decodeMsPerSeq
      expect(Math.abs(iterationMs(model, running) - stepMs)).toBeLessThan(1 + 0.1 * stepMs)
    }
  })
})

/** Answers of 2 to 6 tokens: many requests are always admitted, but have no first token yet. */
const shortRequests = requestsOfLengths((draw) => {
  return { promptTokens: 10 + Math.floor(80 * draw()), outputTokens: 2 + Math.floor(5 * draw()) }
})

/** Iterations of such a replica vary, and each request costs time that does not depend on its prompt. */
const varying: ServiceModel = {
  ...{ maxSequences: 4, maxWaiting: Number.POSITIVE_INFINITY, overheadMs: 0, spread: 0.7 },
  ...{ prefillMs: 15, prefillMsPerToken: 0.3, decodeMs: 5, decodeMsPerSequence: 2 },
}

test.each(seeds.slice(0, 3))(
  'a fit of varying iterations predicts ttft.p95 within 20 % (%s)',
  (seed) => {
    const answer = (requests: readonly Arrival[]) =>
      simulateOpen(varying, alone, requests).map(({ atMs, firstTokenMs, endMs }) => {
        return { ttftMs: firstTokenMs - atMs, latencyMs: endMs - atMs }
      })
    const [requests, rates] = [shortRequests, [2, 5, 10, 15, 18]]
    const run = { answer, requests, rates, durationMs: 60_000, overheadMs: 0, seed }
    const fitted = fitServiceModel(simulatedReport(run), alone)
    const [planned, truth] = [ttft95(fitted.model, fitted, 12), ttft95(varying, fitted, 12)]
    expect(Math.abs(Math.log(planned / truth))).toBeLessThan(0.2)
  },
)

test.each([2, 3])(
  '%i replicas behind round robin are fitted with the batch limit of one',
  (replicas) => {
    const engine = { maxNumSeqs: 32, maxWaiting: 1000, decodeMs: 80, decodeMsPerSeq: 2 }
    const rates = [8, 20, 40, 50, 80].map((rate) => rate * replicas)
    const run = { engine, rates, durationMs: 8000, replicas, requests: shortRequests }
    const report = simulatedReport(run)
    const fitted = fitServiceModel(report, { ...alone, replicas })
    expect(fitted.hasSeenLimit).toBe(true)
    expect(fitted.model.maxSequences).toBe(engine.maxNumSeqs)
    const notesFor = (size: number) =>
      notesOf({ measurements: [{ file: 'run', replicas: size, report }], slos: [] }, fitted, null)
    expect(notesFor(replicas)).toEqual([expect.stringMatching(/at least 32 sequences/)])
    expect(notesFor(1)).toEqual([])
  },
)

type Samples = NonNullable<CapacityReport['probes'][number]['samples']>

/** The same report with other samples. */
function withSamples(report: CapacityReport, change: (samples: Samples) => Samples) {
  const probes = report.probes.map((probe) => {
    return { ...probe, samples: probe.samples && change(probe.samples) }
  })
  return { ...report, probes }
}

describe('a fit with samples', () => {
  const report = simulatedReport({ rates: [0.3, 1, 2, 4, 3.4, 3.7], durationMs: 30_000 })
  const fitWith = (change: (samples: Samples) => Samples) =>
    fitServiceModel(withSamples(report, change), alone)
  const none = (values: readonly unknown[]) => values.map(() => null)
  const some = <Value>(values: readonly Value[]) => values.filter((_, at) => at % 3 === 0)

  test('of a fifth unstreamed answers has the same times', () => {
    const streamed = <Value>(values: readonly Value[]) =>
      values.map((value, at) => (at % 5 === 0 ? null : value))
    const { model } = fitWith((samples) => {
      return { ...samples, ttftMs: streamed(samples.ttftMs), tpotMs: streamed(samples.tpotMs) }
    })
    expect(model.maxSequences).toBe(defaultEngine.maxNumSeqs)
    expect(Math.abs(iterationMs(model, 8) / 16 - 1)).toBeLessThan(0.08)
    expect(Math.abs(model.prefillMsPerToken / 0.4 - 1)).toBeLessThan(0.15)
  })

  test('of one token per answer is rejected', () => {
    const alike = (samples: Samples): Samples => ({
      ...samples,
      outputTokens: samples.outputTokens.map(() => 1),
      e2eMs: samples.ttftMs,
      tpotMs: none(samples.tpotMs),
    })
    expect(() => fitWith(alike)).toThrow(/does not separate the times .* not known at all/)
  })

  test('of every third answer is rejected', () => {
    const thinned = ({ of, ...columns }: Samples) => {
      const kept = Object.entries<unknown[]>(columns).map(([name, all]) => [name, some(all)])
      return { of, ...Object.fromEntries(kept) }
    }
    expect(() => fitWith(thinned)).toThrow(UnfittedRunError)
  })
})

test('a batch limit that was not reached is the maximum in flight', () => {
  const report = simulatedReport({ engine: { maxNumSeqs: 200 }, rates: [1, 2, 4, 6] })
  const { model, hasSeenLimit } = fitServiceModel(report, alone)
  const maxInFlight = Math.max(...report.probes.flatMap(({ samples }) => samples?.inFlight ?? []))
  expect(hasSeenLimit).toBe(false)
  expect(model.maxSequences).toBeGreaterThanOrEqual(maxInFlight)
  expect(model.maxSequences).toBeLessThanOrEqual(maxInFlight + 1)
})

test('one rate or answers without usage are rejected', () => {
  const one = simulatedReport({ rates: [2] })
  expect(() => fitServiceModel(one, alone)).toThrow(UnfittedRunError)
  const several = simulatedReport({ rates: [1, 2] })
  const probes = several.probes.map((probe) => ({ ...probe, samples: null }))
  expect(() => fitServiceModel({ ...several, probes }, alone)).toThrow(/usage/)
})
