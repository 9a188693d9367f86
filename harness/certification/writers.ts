import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { reportToBadge } from '../../reports/conformance/badge.ts'
import { conformanceDocument } from '../../reports/conformance/document.ts'
import type { Fact } from '../../reports/document/document.ts'
import { toHtml } from '../../reports/document/html.ts'
import { reportToJson, withEvidence } from '../../reports/text/digest.ts'
import { StoredRecording } from '../client/index.ts'
import type { TargetProfile } from '../conformance/profile/index.ts'
import { limits } from '../conformance/profile/schema-requests.ts'
import { badgeName, pageName } from './bundle.ts'
import type { Product } from './product.ts'

/** Files of a bundle that are made from reports: `certify` writes them, `verify` compares them. */

/** Text of a round's report.json. `exchanges`: SHA-256 of its exchanges.ndjson, hexadecimal. */
export function reportText(report: ConformanceReport, exchanges: string): string {
  return reportToJson(withEvidence(report, exchanges))
}

/** Content of the page in addition to the last round. */
export interface Certificate {
  readonly product: Product
  readonly challenge: string
  /** One for each round, in their order. */
  readonly reports: readonly ConformanceReport[]
  /** Settings in `run.json` of a round. */
  readonly profile: Pick<
    TargetProfile,
    'limits' | 'models' | 'prefixes' | 'recall' | 'requests' | 'v2Chat'
  >
}

/** Texts of the page and the badge, by name. `exchangesFile`: exchanges.ndjson of the last round. */
export function pagesOf(
  certificate: Certificate,
  exchangesFile: string,
): ReadonlyMap<string, string> {
  const last = certificate.reports.at(-1)
  if (last === undefined) return new Map()
  const document = conformanceDocument(last, new StoredRecording(exchangesFile))
  const page = { ...document, facts: [...certificateFacts(certificate), ...document.facts] }
  return new Map([
    [pageName, toHtml(page, { isCompact: true })],
    [badgeName, reportToBadge(last)],
  ])
}

/** Holder of the certificate, and settings by which a server could tell its requests from those of users. */
function certificateFacts({ product, challenge, reports, profile }: Certificate): readonly Fact[] {
  const { vendor, name, version, contact, digest, url } = product
  const { main, aliases, vision } = profile.models
  const usual = new Map<string, unknown>(Object.entries(limits.parse(undefined)))
  const changed = Object.entries(profile.limits).filter(([key, value]) => usual.get(key) !== value)
  const { prefixes, recall, requests, v2Chat } = profile
  const own = Object.entries({ prefixes, recall, requests, v2Chat }).filter(([, value]) => value)
  const dates = reports.map(({ startedAt }) => startedAt)
  return [
    ['product: ', [name, version, digest, url].filter((text) => text !== undefined).join(', ')],
    ['vendor: ', `${vendor}, ${contact}`],
    ['challenge: ', [{ code: challenge }]],
    ['rounds: ', `${reports.length}, begun ${dates.join(', ')}; this page shows the last`],
    ['models: ', [main, ...aliases, vision].join(', ')],
    ['requests: ', own.map(([key, value]) => ({ code: JSON.stringify({ [key]: value }) }))],
    ['limits: ', changed.map(([key, value]) => `${key} ${value}`).join(', ') || 'as by default'],
  ]
}
