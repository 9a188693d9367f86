/** Classes of mutations of recorded exchanges, each with the row that a judge has to call broken. */
import { bodyMutations } from './bodies.ts'
import { historyMutations } from './history.ts'
import { legalEdits } from './legal.ts'
import type { Mutation } from './mutation.ts'
import { openaiStreamMutations } from './openai-stream.ts'
import { transportMutations } from './transport.ts'
import { v3OrderMutations } from './v3-order.ts'
import { v3ValueMutations } from './v3-values.ts'

export const mutations: readonly Mutation[] = [
  ...v3OrderMutations,
  ...v3ValueMutations,
  ...openaiStreamMutations,
  ...bodyMutations,
  ...historyMutations,
  ...transportMutations,
  ...legalEdits,
]

export { legalEdits } from './legal.ts'
export type { Mutants, Mutation } from './mutation.ts'
