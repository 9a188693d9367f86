import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ConnectionLimit } from './connection-limit.ts'

/** A pool of connections that are open, idle or in use. */
class Pool {
  idle = 0
  used = 0
  readonly limit: ConnectionLimit

  constructor(max: number) {
    this.limit = new ConnectionLimit(max, () => this.idle)
  }

  take(count: number): void {
    for (let at = 0; at < count; at += 1) {
      if (this.idle > 0) this.idle -= 1
      else this.limit.opening()
      this.used += 1
    }
  }

  giveBack(): void {
    if (this.used === 0) return
    this.used -= 1
    this.idle += 1
    this.limit.serve()
  }

  lose(): void {
    if (this.used === 0) return
    this.used -= 1
    this.limit.closed(true)
  }
}

type Step = 'one' | 'two' | 'give back' | 'lose' | 'give up'
const steps = fc.array(fc.constantFrom<Step>('one', 'two', 'give back', 'lose', 'give up'), {
  maxLength: 60,
})

test('never more are open than the limit, all are served in order, and nobody waits in vain', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 5 }), steps, (max, script) => {
      const pool = new Pool(max)
      const [served, requested]: [number[], number[]] = [[], []]
      const waiting = new Map<number, { readonly count: number; readonly end: () => void }>()
      const ask = (count: number) => {
        const id = requested.push(requested.length) - 1
        let isServed = false
        const end = pool.limit.wait(count, () => {
          isServed = true
          waiting.delete(id)
          served.push(id)
          pool.take(count)
        })
        if (!isServed) waiting.set(id, { count, end })
      }
      for (const step of script) {
        if (step === 'one') ask(1)
        else if (step === 'two') ask(2)
        else if (step === 'give back') pool.giveBack()
        else if (step === 'lose') pool.lose()
        else {
          const [id, first] = [...waiting][0] ?? []
          if (id !== undefined) waiting.delete(id)
          first?.end()
        }
        expect(pool.idle + pool.used).toBeLessThanOrEqual(max)
        const [next] = waiting.values()
        if (next !== undefined) expect(max - pool.used).toBeLessThan(next.count)
      }
      expect(served).toEqual(served.toSorted((a, b) => a - b))
    }),
  )
})

test('attempts that the peer never saw are not counted as opened', async () => {
  const limit = new ConnectionLimit(2, () => 0)
  for (const reached of [true, false]) {
    limit.opening()
    limit.closed(reached)
  }
  expect(limit.opened).toBe(1)
  await limit.close()
})

test('more than the limit at once is an error, not a wait without end', () => {
  expect(() => new ConnectionLimit(1, () => 0).wait(2, () => {})).toThrow(RangeError)
})
