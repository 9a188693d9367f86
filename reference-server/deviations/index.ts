/** Every deviation by name; with none chosen, nothing of this folder is in the server. */
import { allDialects } from './dialects/index.ts'
import { attachmentFaults } from './faults/attachments.ts'
import { authFaults } from './faults/auth.ts'
import { chatFaults } from './faults/chat-management.ts'
import { chatCoreFaults } from './faults/chats-core.ts'
import { contextFaults } from './faults/context.ts'
import { credentialMistakeFaults } from './faults/credential-mistakes.ts'
import { effectiveRefusalFaults } from './faults/effective-refusals.ts'
import { favoriteFaults } from './faults/favorites.ts'
import { generateFaults } from './faults/generate.ts'
import { historyFaults } from './faults/history.ts'
import { idempotencyFaults } from './faults/idempotency.ts'
import { knowledgeFaults } from './faults/knowledge.ts'
import { mediaFaults } from './faults/media.ts'
import { oneShotFaults } from './faults/one-shot.ts'
import { openaiFaults } from './faults/openai.ts'
import { ragFaults } from './faults/rag.ts'
import { ragMemberFaults } from './faults/rag-members.ts'
import { repeatInOtherFormFaults } from './faults/repeats-in-other-forms.ts'
import { secondTurnFaults } from './faults/second-turns.ts'
import { streamFaults } from './faults/stream.ts'
import { v2Faults } from './faults/v2.ts'
import { versionFaults } from './faults/versions.ts'
import type { Dialect, Fault } from './types.ts'

export const faults: readonly Fault[] = [
  ...streamFaults,
  ...openaiFaults,
  ...authFaults,
  ...credentialMistakeFaults,
  ...chatCoreFaults,
  ...generateFaults,
  ...historyFaults,
  ...idempotencyFaults,
  ...repeatInOtherFormFaults,
  ...contextFaults,
  ...secondTurnFaults,
  ...v2Faults,
  ...chatFaults,
  ...favoriteFaults,
  ...oneShotFaults,
  ...versionFaults,
  ...effectiveRefusalFaults,
  ...attachmentFaults,
  ...knowledgeFaults,
  ...ragFaults,
  ...ragMemberFaults,
  ...mediaFaults,
]
export const dialects: readonly Dialect[] = allDialects

export { combinationNamed, combineDialects } from './dialects/combination.ts'
export { delayed } from './dialects/pace.ts'
export { loadFaults } from './faults/under-load.ts'
export { together } from './together.ts'
export type { Dialect, Fault } from './types.ts'
