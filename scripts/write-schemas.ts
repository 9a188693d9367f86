/** Writes schemas/*.schema.json, which only the package contains, from the types that chatgen itself reads with. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { jsonSchemas } from './schemas/json-schemas.ts'

const folder = new URL('../schemas/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, text] of jsonSchemas()) writeFileSync(new URL(name, folder), text)
