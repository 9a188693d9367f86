/** Memory of faults, initially empty for each server. */
import type { Patch } from '../../services.ts'
import { perServer } from '../patches/services.ts'

/** A patch with a set of ids. */
export function remembering(make: (ids: Set<string>) => Patch): Patch {
  return perServer(() => make(new Set()))
}

interface Counter {
  /** Increments the count and returns it. */
  (id: string): number
  readonly of: (id: string) => number
}

/** A patch that counts, id by id. */
export function counting(make: (count: Counter) => Patch): Patch {
  return perServer(() => {
    const counts = new Map<string, number>()
    const numberOf = (id: string) => counts.get(id) ?? 0
    const add = (id: string) => {
      counts.set(id, numberOf(id) + 1)
      return numberOf(id)
    }
    return make(Object.assign(add, { of: numberOf }))
  })
}
