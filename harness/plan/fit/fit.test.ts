import { describe, expect, test } from 'vitest'
import { defaultEngine } from '../../../reference-server/engine/options.ts'
import { predictRun } from '../predict.ts'
import { quantile } from '../simulation/simulate.ts'
import { requestsAt, simulatedReport, trueAnswers } from '../test-support/simulated-report.ts'
import { fitServiceModel, UnfittedRunError } from './fit.ts'

const alone = { replicas: 1, balance: 'round-robin' } as const

describe('a service model that is fitted from one replica', () => {
  const rates = [0.5, 1, 2, 3, 3.5, 4, 4.2, 4.5, 4.8, 5]
  const fitted = fitServiceModel(simulatedReport({ rates, durationMs: 150_000 }), alone)

  test('has the limits and the times of the engine', () => {
    const { maxSequences, decodeMs, decodeMsPerSequence, prefillMsPerToken } = fitted.model
    expect(fitted).toMatchObject({ hasSeenLimit: true })
    expect(maxSequences).toBe(defaultEngine.maxNumSeqs)
    const stepAt = (running: number) => decodeMs + running * decodeMsPerSequence
    expect(Math.abs(stepAt(1) / 12.5 - 1)).toBeLessThan(0.08)
    expect(Math.abs(stepAt(8) / 16 - 1)).toBeLessThan(0.08)
    expect(prefillMsPerToken).toBeGreaterThan(0.32)
    expect(prefillMsPerToken).toBeLessThan(0.48)
    expect(fitted.typicalError).toBeLessThan(0.1)
  })

  test('predicts p95 of the first token of three replicas within 15 %', () => {
    for (const perSecond of [4, 6, 9]) {
      const requests = [...requestsAt(perSecond, 3_000_000, 'truth')]
      const answers = trueAnswers(defaultEngine, requests, 3)
      const true95 = quantile(
        Float64Array.from(
          answers.flatMap((answer) => (answer === null ? [] : answer.ttftMs + 2)),
        ).sort(),
        0.95,
      )
      const { latencies } = predictRun(
        fitted.model,
        { kind: 'open', pieces: [{ fromMs: 0, perSecond }], untilMs: Number.MAX_VALUE },
        {
          replicas: 3,
          balance: 'round-robin',
          lengths: fitted.lengths,
          requests: 30_000,
          seed: 'seed',
        },
      )
      expect(Math.abs(quantile(latencies.ttft, 0.95) / true95 - 1)).toBeLessThan(0.15)
    }
  })
})

test('a batch whose limit was never reached is as large as was seen, and no larger', () => {
  const report = simulatedReport({ engine: { maxNumSeqs: 200 }, rates: [1, 2, 4, 6] })
  const { model, hasSeenLimit } = fitServiceModel(report, alone)
  const maxInFlight = Math.max(...report.probes.flatMap(({ samples }) => samples?.inFlight ?? []))
  expect(hasSeenLimit).toBe(false)
  expect(model.maxSequences).toBeGreaterThanOrEqual(maxInFlight)
  expect(model.maxSequences).toBeLessThanOrEqual(maxInFlight + 1)
})

test('one rate, or answers without usage, fit no model', () => {
  const one = simulatedReport({ rates: [2] })
  expect(() => fitServiceModel(one, alone)).toThrow(UnfittedRunError)
  const several = simulatedReport({ rates: [1, 2] })
  const probes = several.probes.map((probe) => ({ ...probe, samples: null }))
  expect(() => fitServiceModel({ ...several, probes }, alone)).toThrow(/usage/)
})
