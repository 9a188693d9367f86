import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import type { TargetProfile } from './schema.ts'

/** How the target was reached, for a report: nothing of credentials or of files. */
export function networkToldOf({
  network,
}: Pick<TargetProfile, 'network'>): Pick<ConformanceReport['target'], 'network'> {
  if (network === undefined) return {}
  const { insecure = false, httpVersion = null, proxy, resolve = [] } = network
  const told = { insecure, httpVersion, proxy: proxy === undefined ? null : hostOf(proxy), resolve }
  const plain = !insecure && httpVersion === null && told.proxy === null && resolve.length === 0
  return plain ? {} : { network: told }
}

function hostOf(proxy: string): string {
  return URL.canParse(proxy) ? new URL(proxy).host : 'a proxy'
}
