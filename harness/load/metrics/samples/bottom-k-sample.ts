import { mix32 } from '../../plan/random.ts'
import type { RequestRecord } from '../../record.ts'
import type { Stored } from './histogram.ts'
import { latencyOf } from './latency-definitions.ts'

/** One request of the sample. */
export type SampledRequest = Readonly<ReturnType<typeof sampledOf>>

const blockSize = 64
const maxBlocks = 128

/**
 * A bounded sample in plan order, for what histograms lose: the end of the warm-up, and whether the run drifts. It holds whole blocks of 64 neighboring arrivals: all of them up to 8,192 arrivals,
 * and beyond that the 128 blocks with the smallest hash (bottom-k sampling, Cohen & Kaplan, PODC 2007). Only
 * the hash decides, so the sample of a run does not depend on how its requests were spread over workers or in
 * which order they came.
 */
export class BottomKSample {
  readonly requests = new Map<number, SampledRequest[]>()
  /** Blocks with this hash or a larger one are permanently excluded. */
  #hashLimit = Number.POSITIVE_INFINITY

  add(sampled: SampledRequest): void {
    const block = Math.floor(sampled.index / blockSize)
    if (mix32(block) >= this.#hashLimit) return
    const found = this.requests.get(block)
    if (found === undefined) this.requests.set(block, [sampled])
    else found.push(sampled)
    if (this.requests.size > maxBlocks) this.#evict()
  }

  merge(other: Stored<Pick<BottomKSample, 'requests'>>): void {
    for (const [, block] of other.requests) for (const sampled of block) this.add(sampled)
  }

  /** Runs of neighbors, in the order of the plan. */
  blocks(): SampledRequest[][] {
    return [...this.requests]
      .sort(([a], [b]) => a - b)
      .map(([, block]) => block.toSorted((a, b) => a.index - b.index || a.step - b.step))
  }

  #evict(): void {
    let worst = -1
    let maxHash = -1
    for (const block of this.requests.keys()) {
      const hash = mix32(block)
      if (hash > maxHash) [worst, maxHash] = [block, hash]
    }
    this.requests.delete(worst)
    this.#hashLimit = maxHash
  }
}

/** The sampled part of a record. Latencies count from the planned moment; null if it has none. */
export function sampledOf(record: RequestRecord) {
  const { index, step, timestamps } = record
  return {
    index,
    step,
    plannedNs: timestamps.planned,
    ttftNs: latencyOf(record, 'ttft', 'response'),
    e2eNs: latencyOf(record, 'e2e', 'response'),
  }
}
