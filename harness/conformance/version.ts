import { readFileSync } from 'node:fs'

/** Revision of the interface document that the catalogue restates. */
export const interfaceRevision = '2026-11'

/** Version of this package. */
export function suiteVersion(): string {
  const up = import.meta.url.endsWith('.js') ? '../../../package.json' : '../../package.json'
  const manifest: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'))
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? manifest.version
      : undefined
  return typeof version === 'string' ? version : '0.0.0'
}
