import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
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
