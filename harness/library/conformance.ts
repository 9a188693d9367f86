import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { type ProcessOptions, reportOf, type Target } from './chatgen-process.ts'

/** Options of `chatgen check`. */
export interface ConformanceOptions extends ProcessOptions {
  /** Surfaces to check. Default `full`. */
  readonly profile?: 'openai' | 'v2' | 'v3' | 'full'
  /** Globs of requirement ids, areas or titles. Default: all. */
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  /** Number of concurrent scenarios. Default 4. */
  readonly jobs?: number
  readonly maxRequests?: number
  /** Seed of generated names and nonces. */
  readonly seed?: string
  /** Counts warnings as violations. */
  readonly strict?: boolean
}

/**
 * Checks a deployment against the requirements of the interface.
 *
 * @param target profile of the deployment; for a URL alone, the rest is detected, and the API key is that of
 * CHATGEN_API_KEY
 * @throws ChatgenError if there is no report: wrong options, a target that does not answer
 */
export async function runConformance(
  target: string | Target,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const { signal, outDir, maxRequests, ...flags } = options
  const all = { ...flags, 'max-requests': maxRequests }
  const { conformanceReport } = await import('../../contract/report/conformance.ts')
  return conformanceReport.parse(await reportOf('check', target, all, { signal, outDir }))
}
