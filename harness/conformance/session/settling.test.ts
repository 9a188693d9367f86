import { expect, test } from 'vitest'
import { createSettling } from './settling.ts'

/** Waits are short only in a hurry, and never shorter than changes take. */

const hurried = (settling: ReturnType<typeof createSettling>) =>
  settling.hurry(async () => settling.ms)

test('a hurry is allowed once a wait was in vain, and ends', async () => {
  const settling = createSettling({ settleMs: 2000 })
  expect(settling.mayHurry).toBe(false)
  settling.note(2000, false)
  expect(settling.mayHurry).toBe(true)
  expect(settling.ms).toBe(2000)
  expect(await hurried(settling)).toBe(50)
  expect(settling.ms).toBe(2000)
})

test('changes that come late are waited for', async () => {
  const settling = createSettling({ settleMs: 2000 })
  settling.note(2000, false)
  settling.note(350, true)
  settling.note(50, true)
  expect(await hurried(settling)).toBe(700)
  settling.note(1250, true)
  expect(settling.mayHurry).toBe(false)
  expect(await hurried(settling)).toBe(2000)
})

test('what was missed in a hurry ends all of it', () => {
  const settling = createSettling({ settleMs: 2000 })
  settling.note(2000, false)
  settling.noteLate()
  expect(settling.mayHurry).toBe(false)
})
