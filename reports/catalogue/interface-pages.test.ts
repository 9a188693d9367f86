import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { requirementIds } from '../../contract/index.ts'
import { interfacePages } from './interface-pages.ts'

const folder = new URL('../../docs/interface/', import.meta.url)

test('docs/interface is what the catalogue says (`npm run docs` writes it)', () => {
  const pages = interfacePages()
  expect(readdirSync(folder).sort()).toEqual(pages.map(({ name }) => name).sort())
  for (const { name, text } of pages) {
    expect(readFileSync(new URL(name, folder), 'utf8'), name).toBe(text)
  }
})

test('every requirement stands on the page of one section', () => {
  const text = interfacePages()
    .map((page) => page.text)
    .join('\n')
  expect(requirementIds.filter((id) => text.split(`**${id}**`).length !== 2)).toEqual([])
})
