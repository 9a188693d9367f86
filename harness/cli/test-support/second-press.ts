import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Running } from './chatgen.ts'

/** Ctrl-C, and once more when it does not end: the second press ends it, before what the first one began. */
export async function endsAtSecondPress({ child, ended }: Running): Promise<void> {
  child.kill('SIGINT')
  // The same key press, as npx passes it on.
  child.kill('SIGINT')
  await pressUntil(ended, () => child.kill('SIGINT'))
  const { code, signal } = await ended
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGINT' })
}

/** Presses again at intervals: a process that is starved takes presses that it sees together for one. */
export async function pressUntil(ended: Promise<unknown>, press: () => void): Promise<void> {
  const isOver = ended.then(() => true)
  while (!(await Promise.race([isOver, sleep(700, false)]))) press()
}
