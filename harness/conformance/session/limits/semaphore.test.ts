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
    ['there is one', 1, false],
    ['its holder is first', 2, true],
  ])('is kept if %s', async (_, slots, isFirst) => {
    const semaphore = createSemaphore(slots)
    const slot = await acquireSlot(semaphore, { isFirst })
    const entered = vi.fn()
    semaphore.acquire().then(entered)
    await slot.lend(async () => {
      await turn()
      expect(entered).not.toHaveBeenCalled()
    })
  })
})

describe('those who are first', () => {
  test('are alone until they have left', async () => {
    const semaphore = createSemaphore(8)
    const entered: string[] = []
    const enter = async (name: string, isFirst: boolean) => {
      const release = await semaphore.acquire({ isFirst })
      entered.push(name)
      return release
    }
    const other = enter('other', false)
    const [one, two] = await Promise.all([enter('one', true), enter('two', true)])
    one()
    await new Promise(setImmediate)
    expect(entered).toEqual(['one', 'two'])
    two()
    await other
    expect(entered).toEqual(['one', 'two', 'other'])
  })
})
