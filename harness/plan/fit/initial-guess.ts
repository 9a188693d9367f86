import { meanOf, medianOf } from '../../../contract/averages.ts'
import type { ProbeSamples } from '../../../reports/capacity/model/probe.ts'
import { solve } from '../../load/statistics/linear-algebra.ts'
import { iterationMs, type ServiceModel } from '../simulation/replica.ts'

type Times = Omit<ServiceModel, 'maxSequences' | 'maxWaiting'>

/**
 * Times of a service model by linear regression of single requests; a start for the fit.
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

/** Least squares; a slope of 0 if x does not vary. */
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

/** The batch limit that single requests show. */
export interface BatchLimit {
  readonly maxSequences: number
  /** Requests that found all places taken. */
  readonly waited: number
}

/** Maximum iterations before a first token without waiting: two, its own and the one before, and a margin. */
const unqueuedIterations = 2.5

/**
 * The number in flight from which on requests wait: the one that best separates those that waited from the
 * others. Null if nothing was streamed.
 */
export function batchLimitOf(samples: readonly ProbeSamples[]): BatchLimit | null {
  const requests = samples
    .flatMap(({ inFlight, promptTokens, ttftMs }) =>
      inFlight.flatMap((found, at) => {
        const ttft = ttftMs[at] ?? null
        return ttft === null ? [] : [{ found, prompt: promptTokens[at] ?? 0, ttft }]
      }),
    )
    .toSorted((a, b) => a.found - b.found)
  if (requests.length < minRequests) return null
  const highest = requests.at(-1)?.found ?? 0
  const meanPrompt = meanOf(requests.map(({ prompt }) => prompt)) ?? 0
  let best = { maxSequences: highest + 1, waited: 0, errors: Number.POSITIVE_INFINITY }
  for (const limit of candidatesUpTo(highest + 1)) {
    const times = initialTimes(samples, limit)
    let [errors, waited] = [0, 0]
    for (const { found, prompt, ttft } of requests) {
      const iteration = iterationMs(times, Math.min(limit, found + 1))
      const prefill = (prompt + (found > 0 ? meanPrompt : 0)) * times.prefillMsPerToken
      const hasWaited = ttft > times.overheadMs + prefill + unqueuedIterations * iteration
      const isFull = found >= limit
      if (isFull) waited += 1
      if (hasWaited !== isFull) errors += 1
    }
    if (errors < best.errors) best = { maxSequences: limit, waited, errors }
  }
  return best
}

const minRequests = 40

/** Each number up to 64, then steps of 2 %. */
function candidatesUpTo(highest: number): readonly number[] {
  const candidates: number[] = []
  for (let limit = 1; limit <= highest; limit += Math.max(1, Math.round(limit / 50))) {
    candidates.push(limit)
  }
  return candidates
}
