/** Faults of v3 generation. */
import type { Fault } from '../types.ts'
import { generateAnswerFaults } from './generate-answers.ts'
import { generateInputFaults } from './generate-inputs.ts'
import { generateRefusalFaults } from './generate-refusals.ts'

export const generateFaults: readonly Fault[] = [
  ...generateAnswerFaults,
  ...generateInputFaults,
  ...generateRefusalFaults,
]
