import type { Fault } from '../types.ts'
import { statefulChatFaults, statefulDeletionFaults } from './chats.ts'
import { statefulFileFaults, statefulKeyFaults } from './files.ts'
import { statefulHistoryFaults } from './histories.ts'
import { statefulRefusalFaults } from './refusals.ts'
import { statefulV2Faults } from './v2-chats.ts'

/**
 * Faults that show only after a certain sequence of operations, which no scenario of the suites makes.
 * `chatgen check --explore` finds them, and `scripts/explore-truth.ts` proves it.
 */
export const statefulFaults: readonly Fault[] = [
  ...statefulChatFaults,
  ...statefulDeletionFaults,
  ...statefulKeyFaults,
  ...statefulHistoryFaults,
  ...statefulRefusalFaults,
  ...statefulFileFaults,
  ...statefulV2Faults,
]
