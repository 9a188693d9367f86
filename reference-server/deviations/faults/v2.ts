/** Faults of the v2 surface. */
import type { Fault } from '../types.ts'
import { v2AuthFaults } from './v2-auth.ts'
import { fieldFaults } from './v2-fields.ts'
import { messageFaults } from './v2-messages.ts'
import { replyFaults } from './v2-replies.ts'

export const v2Faults: readonly Fault[] = [
  ...messageFaults,
  ...fieldFaults,
  ...replyFaults,
  ...v2AuthFaults,
]
