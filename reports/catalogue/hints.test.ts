import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { requirementIds } from '../../contract/index.ts'
import { hintFor } from './hints.ts'

test('hints are about requirements that exist', () => {
  const source = readFileSync(new URL('hints.ts', import.meta.url), 'utf8')
  const ids = [...source.matchAll(/^ {2}'([A-Z0-9-]+-\d\d)':/gm)].map(([, id]) => id)
  expect(ids.length).toBeGreaterThan(50)
  expect(ids.filter((id) => !requirementIds.some((one) => one === id))).toEqual([])
})

test('a hint is one sentence: a cause, and a fix behind a semicolon', () => {
  const hints = requirementIds.flatMap((id) => hintFor(id) ?? [])
  expect(hints.filter((hint) => !/^[A-Za-z][^;]*; [^;]*\.$/.test(hint))).toEqual([])
})

test('an id of no area has none', () => {
  expect(hintFor('NO-SUCH-01')).toBeNull()
})
