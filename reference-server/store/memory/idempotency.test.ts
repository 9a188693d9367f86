import { expect, it } from 'vitest'
import type { ResponseRun } from '../../events/run.ts'
import { memoryIdempotency } from './idempotency.ts'

it('forgets finished keys after their time, and the oldest when there are too many', async () => {
  const scope = { owner: 'ann', endpoint: '/generate', key: 'k' }
  const run = { id: 'resp_1' } as ResponseRun
  const idempotency = memoryIdempotency({ lifeMs: 10, keys: 2 })
  const reservation = (key: string, now: number) =>
    idempotency.reserve({ ...scope, key }, 'same', now)
  await reservation('a', 0)
  await idempotency.finish({ ...scope, key: 'a' }, run)
  expect((await reservation('a', 10)).state).toBe('finished')
  expect((await reservation('a', 11)).state).toBe('first')
  await idempotency.finish({ ...scope, key: 'a' }, run)
  for (const key of ['b', 'c', 'd']) {
    await reservation(key, 12)
    await idempotency.finish({ ...scope, key }, run)
  }
  expect((await reservation('d', 12)).state).toBe('finished')
  expect((await reservation('a', 12)).state).toBe('first')
})
