import { faultOf } from '../faults/grammar.ts'
import type { Fault } from '../types.ts'
import { statefulChatFaults, statefulDeletionFaults } from './chats.ts'

/** Faults of the grammar that need requests before them in a chat. */
const ofTheGrammar = {
  'V3-HIST-07': [
    'v3.generate: the turn is not stored (occurrence: after a rename)',
    'v3.generate: the turn is not stored (occurrence: after a favorite; stream: true)',
    'v3.generate: the turn is stored twice (occurrence: third or later)',
  ],
  'V3-HIST-16': ['v3.generate: the turn is stored in another chat as well (overlap: two at once)'],
  'V3-HIST-10': ['v3.history: the first row is lost (cursor: given)'],
  'V3-GEN-14': ['v3.generate: a refused request leaves a chat (occurrence: second)'],
  'VER-09': ['v2.message: a refused request leaves a chat (occurrence: third or later)'],
  'V3-TOOLS-01': ['v3.generate: both tool lists are accepted (occurrence: second)'],
  'V3-IDEM-02': [
    'v3.generate: the Idempotency-Key is ignored (occurrence: after a favorite)',
    'v3.generate: the Idempotency-Key is ignored (occurrence: after a refusal)',
    'v3.generate: the Idempotency-Key is ignored (occurrence: after a rename)',
  ],
  'V3-ATT-12': [
    'v3.chatAttachments: the last row is lost (occurrence: second)',
    'v3.chatAttachments: the list is empty (occurrence: after a rename)',
  ],
  'V3-IDEM-01': ['v3.generate: a missing Idempotency-Key is accepted (occurrence: second)'],
  'V2-CTX-01': [
    'v2.generate: earlier turns are not read (occurrence: third or later)',
    'v2.generate: earlier turns are not read (occurrence: after a refusal)',
  ],
  'V2-CTX-02': ['v2.generate: turns of another chat are read (occurrence: second)'],
  'VER-03': ['v3.history: a chat of the other version is accepted (occurrence: second)'],
  'V2-GEN-03': ['v2.generate: both tool lists are accepted (occurrence: second)'],
  'VER-07': ['v2.message: a chat of the other version is accepted (occurrence: second)'],
  'V2-MSG-06': ['v2.message: content is that of the first answer (occurrence: third or later)'],
}

/**
 * Faults that show only after a certain sequence of operations, which no scenario of the suites makes.
 * `chatgen check --explore` finds them, and `scripts/explore-truth.ts` proves it.
 */
export const statefulFaults: readonly Fault[] = [
  ...statefulChatFaults,
  ...statefulDeletionFaults,
  ...Object.entries(ofTheGrammar).flatMap(([id, names]) => names.map((name) => faultOf(name, id))),
]
