/** Faults of the compatible surface. */
import type { Fault } from '../types.ts'
import { openaiChatFaults } from './openai-chat.ts'
import { openaiErrorFaults } from './openai-errors.ts'
import { openaiModelFaults } from './openai-models.ts'
import { openaiParamFaults } from './openai-params.ts'
import { openaiStopFaults } from './openai-stop.ts'
import { openaiStreamFaults } from './openai-stream.ts'
import { openaiStreamEndFaults } from './openai-stream-end.ts'
import { openaiToolFaults } from './openai-tools.ts'

export const openaiFaults: readonly Fault[] = [
  ...openaiChatFaults,
  ...openaiParamFaults,
  ...openaiStopFaults,
  ...openaiErrorFaults,
  ...openaiModelFaults,
  ...openaiStreamFaults,
  ...openaiStreamEndFaults,
  ...openaiToolFaults,
]
