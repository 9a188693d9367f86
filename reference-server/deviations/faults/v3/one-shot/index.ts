/** Faults of POST /message/one-shot (section 4.3). */
import type { Fault } from '../../../types.ts'
import { oneShotAnswerFaults } from './answers.ts'
import { oneShotInputFaults } from './inputs.ts'

export const oneShotFaults: readonly Fault[] = [...oneShotAnswerFaults, ...oneShotInputFaults]
