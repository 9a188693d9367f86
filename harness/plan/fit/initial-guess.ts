import { meanOf, medianOf } from '../../../contract/averages.ts'
import type { ProbeSamples } from '../../../contract/report/capacity/probe.ts'
import type { ServiceModel } from '../service-model.ts'
import { solve } from './minimize-squares.ts'

type Times = Omit<ServiceModel, 'maxSequences' | 'maxWaiting'>

/**
 * Times of a service model by linear regression of single requests; a start for the fit.
 *
 * @param maxSequences requests in flight beyond which no more are decoded together
 */
export function initialTimes(samples: readonly ProbeSamples[], maxSequences: number): Times {
  const requests = samples.flatMap(({ sentMs, promptTokens, ttftMs, tpotMs, inFlight }) =>
    sentMs.map((_, at) => ({
      promptTokens: promptTokens[at] ?? null,
      ttftMs: ttftMs[at] ?? null,
      tpotMs: tpotMs[at] ?? null,
      inFlight: inFlight[at] ?? 0,
    })),
  )
  const steps = requests.flatMap(({ tpotMs, inFlight }) =>
    tpotMs === null ? [] : [[Math.min(maxSequences, inFlight + 1), tpotMs] as const],
  )
  const step = line(steps)
  const decodeMs = Math.max(0.05, step.intercept)
  const decodeMsPerSequence = Math.max(decodeMs / 500, step.slope)
  // Without a queue, the first token takes its prefill, one iteration and the rest of the one before.
  const unqueued = requests.flatMap(({ promptTokens, ttftMs, inFlight }) =>
    ttftMs === null || promptTokens === null || inFlight > maxSequences / 2
      ? []
      : [{ found: inFlight, promptTokens, ttftMs }],
  )
  const usual = 3 * (medianOf(unqueued.map(({ ttftMs }) => ttftMs)) ?? 0)
  const near = unqueued.filter(({ ttftMs }) => ttftMs <= usual)
  const [alone = 0, , perToken = 0] = plane(
    near.map(({ found, promptTokens, ttftMs }) => [found > 0 ? 1 : 0, promptTokens, ttftMs]),
  )
  const prefillMsPerToken = Math.max(1e-3, perToken)
  const overheadMs = Math.max(0.3, alone - decodeMs - decodeMsPerSequence)
  return { decodeMs, decodeMsPerSequence, prefillMsPerToken, overheadMs }
}

/** Least squares; a slope of 0 where x does not vary. */
function line(points: readonly (readonly [x: number, y: number])[]) {
  const [intercept = 0, slope = 0] = plane(points.map(([x, y]) => [x, 0, y]))
  return { slope, intercept }
}

/** Coefficients of z on 1, x and y by least squares. */
function plane(points: readonly (readonly [x: number, y: number, z: number])[]) {
  const [x, y, z] = [0, 1, 2].map((at) => meanOf(points.map((point) => point[at] ?? 0)) ?? 0)
  const product = (one: number, other: number) =>
    points.reduce(
      (sum, point) =>
        sum +
        ((point[one] ?? 0) - (centre[one] ?? 0)) * ((point[other] ?? 0) - (centre[other] ?? 0)),
      0,
    )
  const centre = [x, y, z]
  const ridge = 1e-9
  const [byX = 0, byY = 0] = solve(
    [
      [product(0, 0) + ridge, product(0, 1)],
      [product(0, 1), product(1, 1) + ridge],
    ],
    [product(0, 2), product(1, 2)],
  )
  return [(z ?? 0) - byX * (x ?? 0) - byY * (y ?? 0), byX, byY]
}
