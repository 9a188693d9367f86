import { readFileSync } from 'node:fs'
import { asObject, asString } from '../../contract/json.ts'

/** Revision of the interface document that the catalogue restates. */
export const interfaceRevision = '2026-11'

/** Version of this package. */
export function suiteVersion(): string {
  const up = import.meta.url.endsWith('.js') ? '../../../package.json' : '../../package.json'
  const manifest: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'))
  return asString(asObject(manifest)?.['version']) ?? '0.0.0'
}
