/** Writes what the docs take from the code: docs/interface, target profile, import table. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { interfaceRevision } from '../harness/conformance/defaults.ts'
import { interfacePages } from '../reports/catalog/interface-pages.ts'
import { sectionSources } from './docs/section-sources.ts'
import { targetProfilePage } from './docs/target-profile.ts'
import { withImportTable } from './house/references.ts'

const docs = new URL('../docs/', import.meta.url)

writeFileSync(new URL('target-profile.md', docs), targetProfilePage())
mkdirSync(new URL('interface/', docs), { recursive: true })
const facts = { revision: interfaceRevision, sourcesOf: sectionSources() }
for (const { name, text } of interfacePages(facts)) {
  writeFileSync(new URL(`interface/${name}`, docs), text)
}

const architecture = new URL('../ARCHITECTURE.md', import.meta.url)
writeFileSync(architecture, withImportTable(readFileSync(architecture, 'utf8')))
