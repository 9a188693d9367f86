import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mapConcurrently, sleep, withGracePeriod } from './concurrency.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('mapConcurrently keeps the order and the bound, and maps each value once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 8 }),
      async (turns, concurrency) => {
        let running = 0
        let peak = 0
        const results = await mapConcurrently(turns, concurrency, async (count, index) => {
          running += 1
          peak = Math.max(peak, running)
          for (let turn = 0; turn < count; turn += 1) await nextTurn()
          running -= 1
          return `${index}:${count}`
        })
        expect(results).toEqual(turns.map((count, index) => `${index}:${count}`))
        expect(peak).toBe(Math.min(concurrency, turns.length))
      },
    ),
    { numRuns: 30 },
  )
})

test('mapConcurrently starts nothing after a rejection and awaits what is in flight', async () => {
  const log: string[] = []
  const failing = mapConcurrently([0, 1, 2, 3, 4], 2, async (value) => {
    log.push(`start ${value}`)
    await nextTurn()
    if (value === 0) throw new Error('first')
    await nextTurn()
    log.push(`end ${value}`)
  })
  await expect(failing).rejects.toThrow('first')
  expect(log).toEqual(['start 0', 'start 1', 'end 1'])
})

test('sleep ends with its signal, withGracePeriod only later', async () => {
  const stop = new AbortController()
  const delayed = withGracePeriod(stop.signal)
  const sleeping = sleep(1_000_000, stop.signal)
  stop.abort()
  await sleeping
  await sleep(1_000_000, stop.signal)
  expect(delayed.aborted).toBe(false)
})
