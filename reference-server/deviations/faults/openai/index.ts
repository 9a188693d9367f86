/** Faults of the compatible surface. */
import type { Fault } from '../../types.ts'
import { openaiChatFaults } from './chat.ts'
import { openaiErrorFaults } from './errors.ts'
import { openaiModelFaults } from './models.ts'
import { openaiParamFaults } from './parameters.ts'
import { openaiStopFaults } from './stop.ts'
import { openaiStreamFaults } from './stream.ts'
import { openaiStreamEndFaults } from './stream-end.ts'
import { openaiToolFaults } from './tools.ts'

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
