/** Every deviation by name; with none chosen, nothing of this folder is in the server. */
import { allDialects } from './dialects/index.ts'
import { attachmentFaults } from './faults/attachments/index.ts'
import { credentialMistakeFaults } from './faults/auth/credentials.ts'
import { authFaults } from './faults/auth/index.ts'
import { chatCoreFaults } from './faults/chats/core.ts'
import { favoriteFaults } from './faults/chats/favorites.ts'
import { chatFaults } from './faults/chats/management.ts'
import { contextFaults } from './faults/generate/context.ts'
import { effectiveRefusalFaults } from './faults/generate/effective-refusals.ts'
import { generateFaults } from './faults/generate/index.ts'
import { mediaFaults } from './faults/generate/media.ts'
import { secondTurnFaults } from './faults/generate/second-turns.ts'
import { historyFaults } from './faults/history/index.ts'
import { idempotencyFaults } from './faults/idempotency/index.ts'
import { repeatInOtherFormFaults } from './faults/idempotency/other-forms.ts'
import { knowledgeFaults } from './faults/knowledge/index.ts'
import { ragFaults } from './faults/knowledge/rag.ts'
import { ragMemberFaults } from './faults/knowledge/rag-members.ts'
import { oneShotFaults } from './faults/one-shot/index.ts'
import { openaiFaults } from './faults/openai/index.ts'
import { streamFaults } from './faults/stream/index.ts'
import { v2Faults } from './faults/v2/index.ts'
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
export { delayAnswers as delayed } from './dialects/pace.ts'
export { loadFaults } from './faults/load/under-load.ts'
export { compose } from './patches/services.ts'
export type { Dialect, Fault } from './types.ts'
