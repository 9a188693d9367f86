import { createHash } from 'node:crypto'
import { stableText, stableTextVersion } from '../../../contract/index.ts'
import type { RequirementRow } from '../../../contract/report/conformance.ts'

/**
 * Digest of how a row is broken: of its id and its message without identifiers, nonces, times, ports
 * and counts. The same from run to run, whatever the seed; another where the row fails differently.
 * `v1-` and 16 hexadecimal digits, so that YAML never takes it for a number.
 */
export function fingerprintOf({ id, message }: Pick<RequirementRow, 'id' | 'message'>): string {
  const digest = createHash('sha256').update(JSON.stringify([id, stableText(message ?? '')]))
  return `v${stableTextVersion}-${digest.digest('hex').slice(0, 16)}`
}
