import { z } from 'zod'

/** Entry of the model catalog (section 2.1); a member that is not shown is none. */
export const modelEntry = z.looseObject({
  id: z.string().optional(),
  description: z.string().nullish(),
})

/** List of models as the chat-completions contract has it (docs/internals/wire-contract.md, models). */
export const modelList = z.looseObject({
  object: z.literal('list'),
  data: z.array(z.looseObject({ id: z.unknown().refine((id) => id != null, 'expected an id') })),
})
