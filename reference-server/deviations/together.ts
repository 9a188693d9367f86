import type { Patch } from '../parts.ts'

/** One refit out of several; the first is applied first, the last has the last word. */
export function compose(refits: readonly Patch[]): Patch {
  return (parts) => refits.reduce((changed, refit) => refit(changed), parts)
}
