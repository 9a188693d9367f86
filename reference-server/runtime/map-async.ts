/** Maps the values of an async iterable, at half the cost of a generator. */
export function mapAsync<From, To>(
  values: AsyncIterable<From>,
  make: (value: From) => To,
): AsyncIterable<To> {
  return {
    [Symbol.asyncIterator]() {
      const from = values[Symbol.asyncIterator]()
      return {
        async next() {
          const step = await from.next()
          return step.done === true
            ? { done: true, value: undefined }
            : { done: false, value: make(step.value) }
        },
        async return() {
          await from.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
