import { hash } from 'node:crypto'
import { type Digest, type Doubt, digest } from '../../contract/report/common.ts'
import { type ConformanceReport, conformanceReport } from '../../contract/report/conformance.ts'
import { type CapacityReport, capacityReport } from '../capacity/model/report.ts'
import { type LoadReport, loadReport } from '../load/model/report.ts'
import { jsonText } from './escape.ts'

const models = {
  'conformance-report': conformanceReport,
  'load-report': loadReport,
  'capacity-report': capacityReport,
}

/** `report.json`: fields in the order of the model, two spaces, a final line feed, and a matching digest. */
export function reportToJson(report: ConformanceReport | LoadReport | CapacityReport): string {
  return jsonText(withDigest(models[report.kind].parse(report)))
}

interface Sealed {
  readonly digest?: Digest | undefined
}

/** A report with the digest of its content; the digest of its evidence is kept. */
export function withDigest<Report extends Sealed>(report: Report): Report & { digest: Digest } {
  const { digest: own, ...content } = report
  return { ...report, digest: { ...unsealed, ...own, report: digestOf(content) } }
}

const unsealed: Digest = { algorithm: 'SHA-256', report: '', exchanges: null }

/** Digests of the files next to a report; null for one that is missing, since a report may be copied alone. */
export type Evidence = Pick<Digest, 'exchanges' | 'settings'>

/**
 * Difference between a stored report, or the files next to it, and what its run wrote; null without any.
 */
export function doubtOf(stored: unknown, evidence: Evidence): Doubt | null {
  if (typeof stored !== 'object' || stored === null) return 'edited report'
  const { digest: own, ...content }: { digest?: unknown } = stored
  if (own === undefined) return 'without digest'
  const parsed = digest.safeParse(own)
  if (!parsed.success || parsed.data.report !== digestOf(content)) return 'edited report'
  return evidenceDoubt(stored, evidence) ?? parsed.data.from ?? null
}

/** Doubt about the files next to a report, by its digests of them; null without any. */
export function evidenceDoubt(stored: unknown, { exchanges, settings }: Evidence): Doubt | null {
  if (typeof stored !== 'object' || stored === null || !('digest' in stored)) return null
  const { data: own } = digest.safeParse(stored.digest)
  const differs = (one?: string | null, other?: string | null) =>
    typeof one === 'string' && typeof other === 'string' && one !== other
  if (differs(own?.exchanges, exchanges)) return 'edited evidence'
  return differs(own?.settings, settings) ? 'edited settings' : null
}

/** The report with the digests of the files next to it. */
export function withEvidence<Report extends Sealed>(report: Report, evidence: Evidence): Report {
  return { ...report, digest: { ...unsealed, ...report.digest, ...evidence } }
}

/** The report with a doubt that every format shows. */
export function withDoubt<Report extends Sealed>(report: Report, doubt: Doubt | null): Report {
  if (doubt === null) return report
  return { ...report, digest: { ...unsealed, ...report.digest, from: doubt } }
}

/** `edited after the run`, for short lines; null if there is no doubt. */
export function doubtWord({ digest }: Sealed): string | null {
  return digest?.from ? words[digest.from] : null
}

/** The same as a sentence with its consequence. */
export function doubtText({ digest }: Sealed): string | null {
  return digest?.from ? sentences[digest.from] : null
}

export function isEdited({ digest }: Sealed): boolean {
  return digest?.from?.startsWith('edited ') ?? false
}

const words: Readonly<Record<Doubt, string>> = {
  'edited report': 'edited after the run',
  'edited evidence': 'evidence edited after the run',
  'edited settings': 'settings edited after the run',
  'without digest': 'no digest',
}

const sentences: Readonly<Record<Doubt, string>> = {
  'edited report':
    'report.json was edited after the run: it does not match its digest, so its verdicts may not be those of the run',
  'edited evidence':
    'exchanges.ndjson was edited after the run: it does not match the digest in report.json, so it may not be what the target sent',
  'edited settings':
    'run.json was edited after the run: it does not match the digest in report.json, so it may not have the settings of the run',
  'without digest': 'report.json lacks the digest that chatgen writes: edits cannot be detected',
}

function digestOf(content: object): string {
  return hash('sha256', canonical(content))
}

/** Canonical JSON (RFC 8785): sorted keys, no whitespace. */
function canonical(content: object): string {
  return JSON.stringify(content, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
