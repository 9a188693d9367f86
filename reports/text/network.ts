import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { printable } from './escape.ts'

/** How the target was reached, a phrase each; empty for a direct connection. */
export function networkPhrases({ network }: ConformanceReport['target']): readonly string[] {
  if (network === undefined) return []
  const { insecure, httpVersion, proxy, resolve } = network
  return [
    ...(insecure ? ['certificate NOT verified (--insecure)'] : []),
    ...(httpVersion === null ? [] : [`HTTP/${httpVersion === 1 ? '1.1' : '2'} only`]),
    ...(proxy === null ? [] : [`through the proxy ${printable(proxy)}`]),
    ...(resolve.length === 0 ? [] : [`at ${resolve.map(printable).join(', ')} (--resolve)`]),
  ]
}
