import type { OtherTool } from '../../../contract/report/load/measures.ts'
import { milliseconds } from '../format.ts'
import type { RequestRecord } from '../record.ts'
import { rankOf } from '../statistics/quantile-interval.ts'
import { definitions, isSuccess } from './other-tool-definitions.ts'
import { Histogram, type StoredHistogram } from './samples/histogram.ts'

export interface StoredOtherTools {
  readonly values: readonly StoredHistogram[]
  readonly tokens: number
  readonly firstNs: number | null
  readonly lastNs: number | null
}

/**
 * The whole run in the definitions of other tools, none of which cuts a warm-up by itself: one
 * histogram a definition, and what their rates need.
 */
export class OtherTools {
  #values = definitions.map(() => new Histogram())
  #tokens = 0
  #firstNs: number | null = null
  #lastNs: number | null = null

  static from({ values, tokens, firstNs, lastNs }: StoredOtherTools): OtherTools {
    const tools = new OtherTools()
    tools.#values = values.map((stored) => Histogram.from(stored))
    tools.#tokens = tokens
    tools.#firstNs = firstNs
    tools.#lastNs = lastNs
    return tools
  }

  add(record: RequestRecord): void {
    if (!isSuccess(record)) return
    definitions.forEach((definition, index) => {
      for (const ns of definition.values(record)) this.#values[index]?.add(ns)
    })
    const { timestamps, counts } = record
    this.#tokens += counts.outputTokens ?? 0
    this.#extend(timestamps.dispatched, timestamps.lastGenerated ?? timestamps.ended)
  }

  merge(other: OtherTools): void {
    for (const [index, buckets] of other.#values.entries()) this.#values[index]?.merge(buckets)
    this.#tokens += other.#tokens
    this.#extend(other.#firstNs, other.#lastNs)
  }

  rows(): OtherTool[] {
    const latencies = definitions.map(({ tool, metric, formula, source }, index) => {
      const buckets = this.#values[index] ?? new Histogram()
      return {
        tool,
        metric,
        definition: formula,
        source,
        unit: 'ms',
        mean: milliseconds(buckets.meanNs),
        p50: milliseconds(quantile(buckets, 0.5)),
        p99: milliseconds(quantile(buckets, 0.99)),
      }
    })
    return [...latencies, this.#throughput()]
  }

  store(): StoredOtherTools {
    return {
      values: this.#values.map((buckets) => buckets.store()),
      tokens: this.#tokens,
      firstNs: this.#firstNs,
      lastNs: this.#lastNs,
    }
  }

  #throughput(): OtherTool {
    const lasted = (this.#lastNs ?? 0) - (this.#firstNs ?? 0)
    return {
      tool: 'all four',
      metric: 'Output token throughput',
      definition:
        'all tokens / (last answer - first dispatch): ramp-up and drain are in the denominator',
      source: 'calculate_metrics of vLLM; metrics-reference.md of AIPerf; statistics of GuideLLM',
      unit: 'tokens/s',
      mean: lasted > 0 ? this.#tokens / (lasted / 1e9) : null,
      p50: null,
      p99: null,
    }
  }

  #extend(first: number | null, last: number | null): void {
    if (first !== null) this.#firstNs = Math.min(first, this.#firstNs ?? first)
    if (last !== null) this.#lastNs = Math.max(last, this.#lastNs ?? last)
  }
}

/** These tools print any quantile of any sample. */
function quantile(buckets: Histogram, q: number): number | null {
  return buckets.count === 0 ? null : buckets.highAt(rankOf(q, buckets.count))
}
