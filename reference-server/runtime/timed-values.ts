/** Values with waits between them. */

/**
 * A sequence in which a promise is a wait before the next value. It can be read as an async iterable, which
 * costs several promises per value, or by `forEachValue` without them. Can be read once.
 */
export class TimedValues<Value> implements AsyncIterable<Value> {
  readonly steps: Iterable<Value | Promise<void>>

  constructor(steps: Iterable<Value | Promise<void>>) {
    this.steps = steps
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value> {
    for (const step of this.steps) {
      if (step instanceof Promise) await step
      else yield step
    }
  }
}

/** Passes each value to `use` and waits if that returns a promise. If it throws, the sequence is closed. */
export async function forEachValue<Value>(
  values: AsyncIterable<Value>,
  use: (value: Value) => Promise<void> | undefined,
): Promise<void> {
  if (values instanceof TimedValues) {
    for (const step of (values as TimedValues<Value>).steps) {
      const wait = step instanceof Promise ? step : use(step)
      if (wait !== undefined) await wait
    }
  } else {
    for await (const value of values) {
      const wait = use(value)
      if (wait !== undefined) await wait
    }
  }
}

export function mapValues<From, To>(
  values: AsyncIterable<From>,
  make: (value: From) => To,
): AsyncIterable<To> {
  return values instanceof TimedValues
    ? new TimedValues(mapSteps((values as TimedValues<From>).steps, make))
    : mapAsync(values, make)
}

function* mapSteps<From, To>(
  steps: Iterable<From | Promise<void>>,
  make: (value: From) => To,
): Generator<To | Promise<void>> {
  for (const step of steps) yield step instanceof Promise ? step : make(step)
}

async function* mapAsync<From, To>(
  values: AsyncIterable<From>,
  make: (value: From) => To,
): AsyncGenerator<To> {
  for await (const value of values) yield make(value)
}
