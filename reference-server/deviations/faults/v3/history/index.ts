/** Faults of the history of a v3 chat. */
import type { Fault } from '../../../types.ts'
import { historyPageFaults } from './pages.ts'
import { historyRowFaults } from './rows.ts'

export const historyFaults: readonly Fault[] = [...historyRowFaults, ...historyPageFaults]
