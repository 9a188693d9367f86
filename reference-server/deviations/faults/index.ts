/** All faults, by surface and section. */
import type { Fault } from '../types.ts'
import { admissionFaults } from './authentication/admissions.ts'
import { authenticationSideEffectFaults } from './authentication/side-effects.ts'
import { authenticationStatusFaults } from './authentication/statuses.ts'
import { knowledgeFaults } from './knowledge/bases.ts'
import { retrievalFaults } from './knowledge/retrieval.ts'
import { openaiChatFaults } from './openai/chat.ts'
import { openaiErrorFaults } from './openai/errors.ts'
import { openaiFormFaults } from './openai/forms.ts'
import { openaiMessageFaults } from './openai/messages.ts'
import { openaiModelFaults } from './openai/models.ts'
import { openaiParameterFaults } from './openai/parameters.ts'
import { openaiStopFaults } from './openai/stop.ts'
import { openaiStreamFaults } from './openai/stream.ts'
import { openaiStreamEndFaults } from './openai/stream-end.ts'
import { openaiToolFaults } from './openai/tools.ts'
import { v2ContextFaults } from './v2/context.ts'
import { v2FieldFaults } from './v2/fields.ts'
import { v2MessageFaults } from './v2/messages.ts'
import { v2ReplyFaults } from './v2/replies.ts'
import { chatAttachmentFaults } from './v3/attachments/chats.ts'
import { attachmentListFaults } from './v3/attachments/lists.ts'
import { uploadFaults } from './v3/attachments/uploads.ts'
import { chatCreationFaults } from './v3/chats/creation.ts'
import { favoriteFaults } from './v3/chats/favorites.ts'
import { chatListFaults } from './v3/chats/lists.ts'
import { chatManagementFaults } from './v3/chats/management.ts'
import { chatNameFaults } from './v3/chats/names.ts'
import { chatNeighborFaults } from './v3/chats/neighbors.ts'
import { generateAnswerFaults } from './v3/generate/answers.ts'
import { generateContextFaults } from './v3/generate/context.ts'
import { generateFormFaults } from './v3/generate/forms.ts'
import { generateInputFaults } from './v3/generate/inputs.ts'
import { generateRefusalFaults } from './v3/generate/refusals.ts'
import { historyKeptFaults } from './v3/history/kept.ts'
import { lostTurnFaults } from './v3/history/lost-turns.ts'
import { historyPageFaults } from './v3/history/pages.ts'
import { historyRowFaults } from './v3/history/rows.ts'
import { idempotencyKeyFaults } from './v3/idempotency/keys.ts'
import { idempotencyRepeatFaults } from './v3/idempotency/repeats.ts'
import { oneShotAnswerFaults } from './v3/one-shot/answers.ts'
import { oneShotFormFaults } from './v3/one-shot/forms.ts'
import { oneShotInputFaults } from './v3/one-shot/inputs.ts'
import { conditionalStreamFaults } from './v3/stream/conditional.ts'
import { streamContentFaults } from './v3/stream/content.ts'
import { streamDeliveryFaults } from './v3/stream/delivery.ts'
import { streamEndingFaults } from './v3/stream/ending.ts'
import { streamFramingFaults } from './v3/stream/framing.ts'
import { streamNumberFaults } from './v3/stream/numbers.ts'
import { streamOrderFaults } from './v3/stream/order.ts'
import { streamResponseFaults } from './v3/stream/response.ts'
import { streamTextFaults } from './v3/stream/text.ts'
import { versionRefusalFaults } from './versions/refusals.ts'
import { versionSideEffectFaults } from './versions/side-effects.ts'
import { versionUpdateFaults } from './versions/updates.ts'

export const faults: readonly Fault[] = [
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
