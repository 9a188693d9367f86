/** Work that a target did for single requests and concurrently with them, as the samples of a probe show it. */
import { medianOf } from '../../../contract/averages.ts'
import type { ProbeSamples } from '../../../reports/capacity/model/probe.ts'
import { inFlightAtStart } from '../../load/statistics/audits.ts'
import { iterationMs, type ServiceModel } from '../simulation/replica.ts'

/** Times of a service model that follow from the work beside single requests, milliseconds. */
export const timeNames = [
  ...(['decodeMs', 'decodeMsPerSequence', 'prefillMsPerToken', 'overheadMs'] as const),
]
export type ServiceTimes = Pick<ServiceModel, (typeof timeNames)[number]>

/** A measured time, and how often it contains each time of the service model, in the order of `timeNames`. */
export type WorkRow = Readonly<{ measuredMs: number; counts: readonly number[] }>

/** An answer, with times in milliseconds from the start of the probe, and the requests in flight at its start. */
type Answer = ReturnType<typeof answersOf>[number]

/** Answers of a probe, in order of sending. */
export class ObservedWork {
  readonly #answers: readonly Answer[]
  /** Answers beside which all others are known. */
  readonly #known: readonly Answer[]
  /** Share of the other requests that ran on the same replica. */
  readonly #share: number

  constructor(samples: ProbeSamples, replicas: number) {
    this.#answers = answersOf(samples)
    this.#share = 1 / replicas
    const isWhole = samples.of === samples.sentMs.length
    const lastMs = isWhole ? Number.POSITIVE_INFINITY : (samples.sentMs.at(-1) ?? 0)
    const unclearAt = unclearTimes(samples)
    this.#known = this.#answers.filter(({ sentMs, endMs }) => {
      return endMs <= lastMs && !unclearAt.some((atMs) => atMs >= sentMs && atMs <= endMs)
    })
  }

  /** A row for each decoded answer, and for each first token of an idle target; one for both without a stream. */
  rows(): readonly WorkRow[] {
    return this.#known.flatMap((answer) => {
      const first = answer.inFlight === 0 ? [firstTokenRow(answer)] : []
      const decoded =
        answer.outputTokens > 1 && answer.endMs > answer.firstMs ? [this.#decodeRow(answer)] : []
      if (answer.isStreamed) return [...first, ...decoded]
      return first.length === 0 ? [] : [sumOf([...first, ...decoded])]
    })
  }

  /** Sizes of the batches that gave a first token while another request waited, as no place was free. */
  fullBatches(times: ServiceTimes): readonly number[] {
    const streamed = this.#known.filter(({ isStreamed }) => isStreamed)
    return streamed.flatMap(({ sentMs, firstMs, endMs }) => {
      const slackMs = edge * iterationMs(times, 1)
      const beside = this.#beside(sentMs, endMs)
      const batch = beside.filter((other) => {
        return other.firstMs <= firstMs + slackMs && other.endMs >= firstMs - slackMs
      })
      const size = batch.length * this.#share
      const prompts = batch.reduce((sum, other) => {
        return other.firstMs < firstMs - slackMs ? sum : sum + other.promptTokens
      }, 0)
      const tookMs = prompts * times.prefillMsPerToken + iterationMs(times, size)
      const beganMs = firstMs - tookMs - times.overheadMs - slackMs
      const hasWaiting = beside.some((other) => {
        return other.firstMs > firstMs + slackMs && other.sentMs < beganMs
      })
      return hasWaiting ? [size] : []
    })
  }

  #decodeRow({ firstMs, endMs, outputTokens }: Answer): WorkRow {
    const iterations = outputTokens - 1
    const slackMs = (edge * (endMs - firstMs)) / iterations
    let [tokens, prompts] = [0, 0]
    for (const other of this.#beside(firstMs, endMs)) {
      if (other.firstMs > firstMs + slackMs && other.firstMs <= endMs + slackMs) {
        tokens += 1
        prompts += other.promptTokens
      }
      const togetherMs = Math.min(endMs, other.endMs) - Math.max(firstMs, other.firstMs)
      const decodedMs = other.endMs - other.firstMs
      if (togetherMs > 0) tokens += ((other.outputTokens - 1) * togetherMs) / decodedMs
    }
    const sequences = iterations + (tokens - iterations) * this.#share
    return {
      measuredMs: endMs - firstMs,
      counts: [iterations, sequences, prompts * this.#share, 0],
    }
  }

  /** Answers that were in flight at any time from one moment to another. */
  #beside(fromMs: number, toMs: number): readonly Answer[] {
    return this.#answers.filter(({ sentMs, endMs }) => sentMs <= toMs && endMs >= fromMs)
  }
}

/** Share of the requests in flight whose answers must be known. */
const minKnown = 0.95
/** Events this close, as a share of an iteration, are of the same iteration. */
const edge = 0.25

function firstTokenRow({ sentMs, firstMs, promptTokens }: Answer): WorkRow {
  return { measuredMs: firstMs - sentMs, counts: [1, 1, promptTokens, 1] }
}

function sumOf(rows: readonly WorkRow[]): WorkRow {
  const sum = (value: (row: WorkRow) => number) => rows.reduce((all, row) => all + value(row), 0)
  return {
    measuredMs: sum(({ measuredMs }) => measuredMs),
    counts: timeNames.map((_, at) => sum(({ counts }) => counts[at] ?? 0)),
  }
}

/** Times at which a request was sent that is a stream of unknown length, or beside one that is not a sample. */
function unclearTimes(samples: ProbeSamples): readonly number[] {
  const endMs = samples.sentMs.map((sentMs, at) => sentMs + (samples.e2eMs[at] ?? 0))
  const found = inFlightAtStart(samples.sentMs, endMs)
  return samples.sentMs.filter((_, at) => {
    const isUnknown = samples.ttftMs[at] !== null && samples.outputTokens[at] === null
    return isUnknown || (found[at] ?? 0) < minKnown * (samples.inFlight[at] ?? 0)
  })
}

/** Answers of known length, in order of sending; without a stream, the usual time of a token gives the first. */
export function answersOf(samples: ProbeSamples) {
  const { sentMs, ttftMs, e2eMs, tpotMs, promptTokens, outputTokens, inFlight } = samples
  const perToken = tpotMs.filter((ms) => ms !== null)
  const whole = e2eMs.flatMap((ms, at) => (ms === null ? [] : ms / (outputTokens[at] ?? 1)))
  const tokenMs = medianOf(perToken.length > 0 ? perToken : whole) ?? 0
  return sentMs.flatMap((atMs, at) => {
    const [ttft, e2e] = [ttftMs[at] ?? null, e2eMs[at] ?? null]
    const tokens = outputTokens[at] ?? null
    if (e2e === null || tokens === null) return []
    const firstMs = atMs + (ttft ?? Math.max(0, e2e - (tokens - 1) * tokenMs))
    const length = { promptTokens: promptTokens[at] ?? 0, outputTokens: Math.max(1, tokens) }
    const times = { sentMs: atMs, firstMs, endMs: atMs + e2e }
    return [{ ...times, ...length, isStreamed: ttft !== null, inFlight: inFlight[at] ?? 0 }]
  })
}
