import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { requirementIds } from '../contract/index.ts'
import { interfacePages } from './docs/interface-pages.ts'
import { targetProfilePage } from './write-docs.ts'

const page = targetProfilePage()

test('docs/target-profile.md is what the schema says (`npm run docs` writes it)', () => {
  const written = readFileSync(new URL('../docs/target-profile.md', import.meta.url), 'utf8')
  expect(written).toBe(page)
})

test('every field has a type and a description', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(80)
  for (const row of rows) {
    const [, field, type, , meaning] = row.split(/(?<!\\)\|/).map((cell) => cell.trim())
    expect(type, field).not.toBe('')
    expect(meaning, field).toMatch(/\.$/)
  }
})

const pages = interfacePages()
const folder = new URL('../docs/interface/', import.meta.url)

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
