import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { requirementIds } from '../../contract/index.ts'
import { interfaceRevision } from '../../harness/conformance/defaults.ts'
import { sectionSources } from '../../scripts/docs/section-sources.ts'
import { interfacePages } from './interface-pages.ts'

const pages = interfacePages({ revision: interfaceRevision, sourcesOf: sectionSources() })
const folder = new URL('../../docs/interface/', import.meta.url)

test('docs/interface is what the catalog says (`npm run docs` writes it)', () => {
  expect(readdirSync(folder).sort()).toEqual(pages.map(({ name }) => name).sort())
  for (const { name, text } of pages) {
    expect(readFileSync(new URL(name, folder), 'utf8'), name).toBe(text)
  }
})

test('every requirement stands on the page of one section', () => {
  const text = pages.map((page) => page.text).join('\n')
  expect(requirementIds.filter((id) => text.split(`**${id}**`).length !== 2)).toEqual([])
})
