import type { Refit } from '../parts.ts'

/** One refit out of several; the first is applied first, the last has the last word. */
export function together(refits: readonly Refit[]): Refit {
  return (parts) => refits.reduce((changed, refit) => refit(changed), parts)
}
