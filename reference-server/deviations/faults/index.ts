/** All faults, by surface and section. */
import type { Fault } from '../table.ts'
import { authenticationStatusFaults } from './authentication.ts'
import { grammarFaults } from './grammar.ts'
import { knowledgeFaults } from './knowledge.ts'
import { openaiCompletionFaults } from './openai/completions.ts'
import { openaiStreamFaults } from './openai/stream.ts'
import { openaiToolFaults } from './openai/tools.ts'
import { v2Faults } from './v2.ts'
import { attachmentFaults } from './v3/attachments.ts'
import { chatFaults } from './v3/chats.ts'
import { favoriteFaults } from './v3/favorites.ts'
import { generateFaults } from './v3/generate.ts'
import { historyPageFaults, historyRowFaults } from './v3/history.ts'
import { idempotencyFaults } from './v3/idempotency.ts'
import { oneShotFaults } from './v3/one-shot.ts'
import { streamFramingFaults } from './v3/stream/framing.ts'
import { streamOrderFaults } from './v3/stream/order.ts'
import { streamNumberFaults, streamResponseFaults } from './v3/stream/response.ts'
import { streamTextFaults } from './v3/stream/text.ts'
import { versionRefusalFaults, versionSideEffectFaults } from './versions.ts'

export const faults: readonly Fault[] = [
  ...grammarFaults,
  ...openaiCompletionFaults,
  ...openaiToolFaults,
  ...openaiStreamFaults,
  ...v2Faults,
  ...chatFaults,
  ...favoriteFaults,
  ...generateFaults,
  ...historyRowFaults,
  ...historyPageFaults,
  ...idempotencyFaults,
  ...oneShotFaults,
  ...attachmentFaults,
  ...streamFramingFaults,
  ...streamOrderFaults,
  ...streamNumberFaults,
  ...streamTextFaults,
  ...streamResponseFaults,
  ...knowledgeFaults,
  ...authenticationStatusFaults,
  ...versionRefusalFaults,
  ...versionSideEffectFaults,
]

export { loadFaults } from './load.ts'
