import fc from 'fast-check'
import { expect, it } from 'vitest'
import { forEachValue, mapValues, TimedValues } from './timed-values.ts'

type Step = number | 'wait'

/** Records when each value leaves the sequence and when each wait ends. */
function* noted(steps: readonly Step[], log: unknown[]): Generator<number | Promise<void>> {
  try {
    for (const step of steps) {
      if (step !== 'wait') yield step
      else yield Promise.resolve().then(() => void log.push('wait'))
    }
  } finally {
    log.push('closed')
  }
}

const allSteps = fc.array(fc.oneof(fc.integer(), fc.constant('wait' as const)))

it('maps values and keeps waits in place for any async iterable', async () => {
  await fc.assert(
    fc.asyncProperty(allSteps, fc.boolean(), async (steps, timed) => {
      const log: unknown[] = []
      const values = new TimedValues(noted(steps, log))
      const source = timed ? values : values[Symbol.asyncIterator]()
      await forEachValue(
        mapValues(source, (value) => `${value}`),
        (text) => {
          log.push(text)
          return undefined
        },
      )
      expect(log).toEqual([...steps.map((step) => (step === 'wait' ? step : `${step}`)), 'closed'])
    }),
  )
})

it.each([true, false])('waits for its reader and is closed by it, timed: %s', async (timed) => {
  const log: unknown[] = []
  const values = new TimedValues(noted([1, 2, 3], log))
  const read = forEachValue(timed ? values : values[Symbol.asyncIterator](), async (value) => {
    await Promise.resolve()
    log.push(value)
    if (value === 2) throw new RangeError('enough')
  })
  await expect(read).rejects.toThrow('enough')
  expect(log).toEqual([1, 2, 'closed'])
})

it('rejects if a wait rejects', async () => {
  const log: unknown[] = []
  const steps = function* () {
    yield* noted([1], log)
    yield Promise.reject(new RangeError('aborted'))
    yield 2
  }
  const read = forEachValue(new TimedValues<number>(steps()), (value) => {
    log.push(value)
    return undefined
  })
  await expect(read).rejects.toThrow('aborted')
  expect(log).toEqual([1, 'closed'])
})
