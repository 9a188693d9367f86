/** Faults of the v2 surface. */
import type { Fault } from '../../types.ts'
import { v2AuthFaults } from '../authentication/v2.ts'
import { fieldFaults } from './fields.ts'
import { messageFaults } from './messages.ts'
import { replyFaults } from './replies.ts'

export const v2Faults: readonly Fault[] = [
  ...messageFaults,
  ...fieldFaults,
  ...replyFaults,
  ...v2AuthFaults,
]
