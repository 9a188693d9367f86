import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { acquireSlot, createSemaphore } from './semaphore.ts'

describe('at most so many holders are let in', () => {
  test('at any time, and all of them in the end, in their order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.nat(20), async (slots, holders) => {
        const semaphore = createSemaphore(slots)
        const order: number[] = []
        let inside = 0
        let max = 0
        const hold = async (holder: number) => {
          const release = await semaphore.acquire()
          order.push(holder)
          inside += 1
          max = Math.max(max, inside)
          await Promise.resolve()
          inside -= 1
          release()
        }
        await Promise.all(Array.from({ length: holders }, (_, holder) => hold(holder)))
        expect(order).toEqual(Array.from({ length: holders }, (_, holder) => holder))
        expect(max).toBe(Math.min(slots, holders))
      }),
    )
  })

  test('and a slot that is given back twice is one slot', async () => {
    const semaphore = createSemaphore(1)
    const release = await semaphore.acquire()
    release()
    release()
    await semaphore.acquire()
    const third = vi.fn()
    semaphore.acquire().then(third)
    await Promise.resolve()
    expect(third).not.toHaveBeenCalled()
  })
})

describe('a slot that is lent', () => {
  const turn = () => new Promise(setImmediate)

  test('goes to others meanwhile, and back before any that has not begun', async () => {
    const semaphore = createSemaphore(2)
    const [slot] = await Promise.all([acquireSlot(semaphore), semaphore.acquire()])
    const waited = Promise.withResolvers<void>()
    const order: string[] = []
    const back = slot.lend(() => waited.promise).then(() => order.push('back'))
    const leave = await semaphore.acquire()
    semaphore.acquire().then(() => order.push('late'))
    waited.resolve()
    await turn()
    expect(order).toEqual([])
    leave()
    await back
    expect(order).toEqual(['back'])
    slot.release()
    await turn()
    expect(order).toEqual(['back', 'late'])
  })

  test.each([
    ['there is one', 1, Infinity],
    ['its holder has a rank', 2, 0],
  ])('is kept if %s', async (_, slots, rank) => {
    const semaphore = createSemaphore(slots)
    const slot = await acquireSlot(semaphore, { rank })
    const entered = vi.fn()
    semaphore.acquire().then(entered)
    await slot.lend(async () => {
      await turn()
      expect(entered).not.toHaveBeenCalled()
    })
  })
})

describe('those of a rank', () => {
  test('are alone until they have left', async () => {
    const semaphore = createSemaphore(8)
    const entered: string[] = []
    const enter = async (name: string, rank: number) => {
      const release = await semaphore.acquire({ rank })
      entered.push(name)
      return release
    }
    const other = enter('other', Infinity)
    const next = enter('next', 1)
    const [one, two] = await Promise.all([enter('one', 0), enter('two', 0)])
    one()
    await new Promise(setImmediate)
    expect(entered).toEqual(['one', 'two'])
    two()
    const leave = await next
    expect(entered).toEqual(['one', 'two', 'next'])
    leave()
    await other
    expect(entered).toEqual(['one', 'two', 'next', 'other'])
  })
})
