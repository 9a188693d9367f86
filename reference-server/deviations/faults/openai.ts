/** Faults of the compatible surface. */
import type { Fault } from '../types.ts'
import { openaiChatFaults } from './openai-chat.ts'
import { openaiStreamFaults } from './openai-stream.ts'

export const openaiFaults: readonly Fault[] = [...openaiChatFaults, ...openaiStreamFaults]
