import { expect, test } from 'vitest'
import { compactIds } from './requirement-ids.ts'

test('three or more in a row are a range', () => {
  const ids = ['V3-HIST-01', 'V3-HIST-02', 'V3-HIST-03', 'V3-HIST-05', 'V3-HIST-07', 'V3-HIST-08']
  expect(compactIds([...ids, 'VER-10'])).toEqual(['V3-HIST 01-03 05 07 08', 'VER 10'])
})

test('the order of ids does not matter, that of areas does', () => {
  expect(compactIds(['KB-02', 'RAG-01', 'KB-01'])).toEqual(['KB 01 02', 'RAG 01'])
})
