/** A store that counts what is written to it. */
import type { Store } from '../store/types.ts'

const reading = new Set([
  'find',
  'list',
  'page',
  'runs',
  'chain',
  'bases',
  'documents',
  'documentPage',
])

export function watched(store: Store): { readonly store: Store; readonly writes: () => number } {
  let writes = 0
  const watch = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name, receiver) {
        if (!reading.has(String(name))) writes += 1
        return Reflect.get(target, name, receiver)
      },
    })
  const { idempotency, durable, ready, close, ...rest } = store
  const parts = Object.entries(rest).map(([name, part]) => [name, watch(part)])
  const watchedParts = Object.fromEntries(parts)
  return {
    store: { idempotency, durable, ready, close, ...watchedParts },
    writes: () => writes,
  }
}
