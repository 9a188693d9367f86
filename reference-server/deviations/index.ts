/** Every deviation by name; with none chosen, nothing of this folder is in the server. */
import type { Refit } from '../parts.ts'
import { openaiFaults } from './faults/openai.ts'
import { streamFaults } from './faults/stream.ts'
import type { Dialect, Fault } from './types.ts'

export const faults: readonly Fault[] = [...streamFaults, ...openaiFaults]
export const dialects: readonly Dialect[] = []

/** One refit out of several; the first is applied first, the last has the last word. */
export function together(refits: readonly Refit[]): Refit {
  return (parts) => refits.reduce((changed, refit) => refit(changed), parts)
}

export type { Dialect, Fault } from './types.ts'
