import { meanOf } from '../../../contract/averages.ts'
import type { ProbeSamples } from '../../../contract/report/capacity/probe.ts'
import { initialTimes } from './initial-guess.ts'

/** The limit of a batch as single requests show it. */
export interface BatchLimit {
  readonly maxSequences: number
  /** Requests that found all places taken. */
  readonly waited: number
}

/** Iterations of a first token: without waiting it comes after two iterations at most, its own and the one before. */
const unqueuedIterations = 2.5

/**
 * The number in flight from which on requests wait: the one that tells those that waited best from those
 * that did not. Null where nothing was streamed.
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
      const running = Math.min(limit, found + 1)
      const iteration = times.decodeMs + running * times.decodeMsPerSequence
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
