/** Writes docs/requirements.md and docs/interface from the catalogue. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { catalogueToMarkdown, interfacePages } from '../reports/catalogue.ts'

const docs = new URL('../docs/', import.meta.url)

writeFileSync(new URL('requirements.md', docs), catalogueToMarkdown())
mkdirSync(new URL('interface/', docs), { recursive: true })
for (const { name, text } of interfacePages()) {
  writeFileSync(new URL(`interface/${name}`, docs), text)
}
