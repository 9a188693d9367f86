/** Every deviation by name; with none chosen, nothing of this folder is in the server. */
import { allDialects } from './dialects/index.ts'
import { authFaults } from './faults/authentication/routes.ts'
import { credentialMistakeFaults } from './faults/authentication/v3.ts'
import { knowledgeFaults } from './faults/knowledge/bases.ts'
import { ragMemberFaults } from './faults/knowledge/rag-members.ts'
import { ragFaults } from './faults/knowledge/retrieval.ts'
import { openaiFaults } from './faults/openai/index.ts'
import { v2Faults } from './faults/v2/index.ts'
import { attachmentFaults } from './faults/v3/attachments/uploads.ts'
import { chatCoreFaults } from './faults/v3/chats/creation.ts'
import { favoriteFaults } from './faults/v3/chats/favorites.ts'
import { chatFaults } from './faults/v3/chats/management.ts'
import { contextFaults } from './faults/v3/generate/context.ts'
import { effectiveRefusalFaults } from './faults/v3/generate/effective-refusals.ts'
import { generateFaults } from './faults/v3/generate/index.ts'
import { mediaFaults } from './faults/v3/generate/media.ts'
import { secondTurnFaults } from './faults/v3/generate/second-turns.ts'
import { historyFaults } from './faults/v3/history/index.ts'
import { idempotencyFaults } from './faults/v3/idempotency/keys.ts'
import { repeatInOtherFormFaults } from './faults/v3/idempotency/repeats.ts'
import { oneShotFaults } from './faults/v3/one-shot/index.ts'
import { streamFaults } from './faults/v3/stream/index.ts'
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
export { delayAnswers as delayed } from './dialects/wire/pace.ts'
export { loadFaults } from './faults/load.ts'
export { compose } from './patches/services.ts'
export type { Dialect, Fault } from './types.ts'
