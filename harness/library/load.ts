import type { LoadReport } from '../../contract/report/load/report.ts'
import { type ProcessOptions, reportOf, type Target } from './chatgen-process.ts'

/** Options of `chatgen load`; one of `rate`, `concurrency` and `ramp` is required. */
export interface LoadOptions extends ProcessOptions {
  /** Transactions a second (open loop). */
  readonly rate?: number
  /** Transactions in flight (closed loop). */
  readonly concurrency?: number
  /** Rates such as `0..100/60s`. */
  readonly ramp?: string
  readonly arrival?: 'poisson' | 'constant'
  /** Time such as `30s`. */
  readonly duration?: string
  /** Name or file of a mix. */
  readonly mix?: string
  readonly surface?: 'openai' | 'v2' | 'v3'
  /** Expressions such as `ttft.p95 < 500ms`. */
  readonly slos?: readonly string[]
  readonly seed?: string
  readonly workers?: number
}

/**
 * Runs a load test that validates every response.
 *
 * @throws ChatgenError if there is no report: wrong options, a target that does not answer
 */
export async function runLoad(target: string | Target, options: LoadOptions): Promise<LoadReport> {
  const { signal, outDir, slos, ...flags } = options
  const { loadReport } = await import('../../contract/report/load/report.ts')
  return loadReport.parse(
    await reportOf('load', target, { ...flags, slo: slos }, { signal, outDir }),
  )
}
