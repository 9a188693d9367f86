/** Faults of v3 generation. */
import type { Fault } from '../../../types.ts'
import { generateAnswerFaults } from './answers.ts'
import { generateInputFaults } from './inputs.ts'
import { generateRefusalFaults } from './refusals.ts'

export const generateFaults: readonly Fault[] = [
  ...generateAnswerFaults,
  ...generateInputFaults,
  ...generateRefusalFaults,
]
