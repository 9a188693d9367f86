/** Every deviation by name; with none chosen, nothing of this folder is in the server. */
import { allDialects } from './dialects/index.ts'
import { authFaults } from './faults/auth.ts'
import { chatFaults } from './faults/chat-management.ts'
import { favoriteFaults } from './faults/favorites.ts'
import { openaiFaults } from './faults/openai.ts'
import { streamFaults } from './faults/stream.ts'
import { v2Faults } from './faults/v2.ts'
import type { Dialect, Fault } from './types.ts'

export const faults: readonly Fault[] = [
  ...streamFaults,
  ...openaiFaults,
  ...authFaults,
  ...v2Faults,
  ...chatFaults,
  ...favoriteFaults,
]
export const dialects: readonly Dialect[] = allDialects

export { together } from './together.ts'
export type { Dialect, Fault } from './types.ts'
