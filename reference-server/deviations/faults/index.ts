/** All faults, by surface and section. */
import type { Fault } from '../types.ts'
import { admissionFaults, authenticationSideEffectFaults } from './authentication/admissions.ts'
import { authenticationStatusFaults } from './authentication/statuses.ts'
import { grammarFaults } from './grammar.ts'
import { knowledgeFaults } from './knowledge/bases.ts'
import { retrievalFaults } from './knowledge/retrieval.ts'
import { openaiChatFaults } from './openai/chat.ts'
import { openaiErrorFaults } from './openai/errors.ts'
import { openaiMessageFaults, openaiModelFaults, openaiParameterFaults } from './openai/requests.ts'
import { openaiFormFaults, openaiStopFaults } from './openai/stop.ts'
import { openaiStreamEndFaults, openaiStreamFaults } from './openai/stream.ts'
import { openaiToolFaults } from './openai/tools.ts'
import { v2FieldFaults } from './v2/fields.ts'
import { v2ContextFaults, v2MessageFaults } from './v2/messages.ts'
import { v2ReplyFaults } from './v2/replies.ts'
import { attachmentListFaults, chatAttachmentFaults } from './v3/attachments/lists.ts'
import { uploadFaults } from './v3/attachments/uploads.ts'
import { chatCreationFaults } from './v3/chats/creation.ts'
import { chatNeighborFaults, favoriteFaults } from './v3/chats/favorites.ts'
import { chatListFaults, chatNameFaults } from './v3/chats/lists.ts'
import { chatManagementFaults } from './v3/chats/management.ts'
import { generateAnswerFaults, generateRefusalFaults } from './v3/generate/answers.ts'
import { generateContextFaults } from './v3/generate/context.ts'
import { generateFormFaults, generateInputFaults } from './v3/generate/inputs.ts'
import { historyKeptFaults, lostTurnFaults } from './v3/history/kept.ts'
import { historyPageFaults } from './v3/history/pages.ts'
import { historyRowFaults } from './v3/history/rows.ts'
import { idempotencyKeyFaults } from './v3/idempotency/keys.ts'
import { idempotencyRepeatFaults } from './v3/idempotency/repeats.ts'
import { oneShotAnswerFaults } from './v3/one-shot/answers.ts'
import { oneShotFormFaults, oneShotInputFaults, oneShotTypeFaults } from './v3/one-shot/inputs.ts'
import { streamEndingFaults } from './v3/stream/ending.ts'
import { streamDeliveryFaults, streamFramingFaults } from './v3/stream/framing.ts'
import { streamNumberFaults } from './v3/stream/numbers.ts'
import { conditionalStreamFaults, streamOrderFaults } from './v3/stream/order.ts'
import { streamResponseFaults } from './v3/stream/response.ts'
import { streamContentFaults, streamTextFaults } from './v3/stream/text.ts'
import { versionRefusalFaults } from './versions/refusals.ts'
import { versionSideEffectFaults, versionUpdateFaults } from './versions/side-effects.ts'

export const faults: readonly Fault[] = [
  ...grammarFaults,
  ...openaiChatFaults,
  ...openaiMessageFaults,
  ...openaiParameterFaults,
  ...openaiStopFaults,
  ...openaiToolFaults,
  ...openaiErrorFaults,
  ...openaiFormFaults,
  ...openaiModelFaults,
  ...openaiStreamFaults,
  ...openaiStreamEndFaults,
  ...v2MessageFaults,
  ...v2FieldFaults,
  ...v2ContextFaults,
  ...v2ReplyFaults,
  ...chatCreationFaults,
  ...chatManagementFaults,
  ...chatListFaults,
  ...chatNameFaults,
  ...favoriteFaults,
  ...chatNeighborFaults,
  ...generateAnswerFaults,
  ...generateInputFaults,
  ...generateRefusalFaults,
  ...generateContextFaults,
  ...generateFormFaults,
  ...historyRowFaults,
  ...historyKeptFaults,
  ...lostTurnFaults,
  ...historyPageFaults,
  ...idempotencyKeyFaults,
  ...idempotencyRepeatFaults,
  ...oneShotAnswerFaults,
  ...oneShotInputFaults,
  ...oneShotTypeFaults,
  ...oneShotFormFaults,
  ...uploadFaults,
  ...attachmentListFaults,
  ...chatAttachmentFaults,
  ...streamFramingFaults,
  ...streamOrderFaults,
  ...streamNumberFaults,
  ...streamTextFaults,
  ...streamContentFaults,
  ...streamResponseFaults,
  ...streamEndingFaults,
  ...conditionalStreamFaults,
  ...streamDeliveryFaults,
  ...knowledgeFaults,
  ...retrievalFaults,
  ...admissionFaults,
  ...authenticationStatusFaults,
  ...authenticationSideEffectFaults,
  ...versionRefusalFaults,
  ...versionSideEffectFaults,
  ...versionUpdateFaults,
]

export { loadFaults } from './load.ts'
