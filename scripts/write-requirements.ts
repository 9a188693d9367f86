/** Writes docs/requirements.md from the catalogue. */
import { writeFileSync } from 'node:fs'
import { catalogueToMarkdown } from '../reports/catalogue.ts'

writeFileSync(new URL('../docs/requirements.md', import.meta.url), catalogueToMarkdown())
