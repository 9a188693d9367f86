import type { KeyObject } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { envelopeName, sha256, sumsName, sumsText } from '../bundle.ts'
import { payloadOf, readEnvelope, sealed } from '../envelope.ts'
import { type Statement, statement } from '../statement.ts'

/** Makes digests and signature fit again after an edit, with the key of the signer; `change` edits the statement. */
export function signAgain(
  dir: string,
  key: KeyObject,
  change: (signed: Statement) => unknown = (signed) => signed,
): void {
  writeFileSync(join(dir, sumsName), sumsText(dir))
  const file = join(dir, envelopeName)
  const envelope = readEnvelope(readFileSync(file, 'utf8'))
  const signed = statement.parse(JSON.parse(String(payloadOf(envelope))))
  const { digest } = signed.predicate.configuration.find(({ name }) => name === sumsName) ?? {}
  if (digest !== undefined) digest['sha256'] = sha256(readFileSync(join(dir, sumsName)))
  writeFileSync(file, sealed(Buffer.from(JSON.stringify(change(signed))), key))
}
