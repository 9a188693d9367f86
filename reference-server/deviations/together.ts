import type { Patch } from '../services.ts'

/** One refit out of several; the first is applied first, the last has the last word. */
export function compose(patches: readonly Patch[]): Patch {
  return (services) => patches.reduce((changed, patch) => patch(changed), services)
}
