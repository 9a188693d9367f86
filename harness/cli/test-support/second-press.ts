import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Running } from './chatgen.ts'

/** Ctrl-C, and once more when it does not end: then it is gone at once. */
export async function endsAtSecondPress({ child, ended }: Running): Promise<void> {
  child.kill('SIGINT')
  // The same key press, as npx passes it on.
  child.kill('SIGINT')
  await sleep(700)
  const before = Date.now()
  child.kill('SIGINT')
  const { code, signal } = await ended
  expect(Date.now() - before).toBeLessThan(1_000)
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGINT' })
}
