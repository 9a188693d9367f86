/** Requests of v3 generation and history (section 4.3); members that are not listed are tolerated. */
import { z } from 'zod'
import {
  bothToolLists,
  cursor,
  identifier,
  maxTokens,
  notBothToolLists,
  notBothToolListsSchema,
  rowLimit,
  temperature,
  toolLists,
  topP,
  withOneOf,
} from './fields.ts'
import { input, inputItem } from './input-items.ts'
import { rag } from './rag.ts'

export const historyQuery = z.looseObject({
  chat_id: identifier,
  limit: rowLimit.default(50),
  cursor: cursor.optional(),
})

/** Settings of both kinds of generation. */
const settings = {
  stream: z.boolean().nullish(),
  model_id: z.string(),
  think: z.boolean().nullish(),
  rag: rag.nullish(),
  ...toolLists,
  max_tokens: maxTokens,
  temperature,
  top_p: topP,
  presence_penalty: z.number().min(-2).max(2).nullish(),
}

export const generateRequest = z
  .looseObject({
    chat_id: identifier,
    assistant_id: identifier.nullish(),
    input,
    parent_id: z.string().nullish(),
    ...settings,
  })
  .refine(notBothToolLists, bothToolLists)
  .meta(notBothToolListsSchema)

/** A run of an accumulated history. `output` alone is shown; `input` is what was asked. */
const earlierRun = z.looseObject({
  id: z.string().nullish(),
  input: input.nullish(),
  output: z.union([z.string(), z.array(inputItem)]).nullish(),
})

/** The scenario of a one-shot without a catalogued assistant: the document does not show it. */
const customAssistant = z.looseObject({
  name: z.string().nullish(),
  instructions: z.string().nullish(),
  kb_id: z.string().nullish(),
})

export const oneShotRequest = z
  .looseObject({
    input: input.nullish(),
    /** Deprecated in favour of `input`, which wins (section 9). */
    content: z.string().min(1).nullish(),
    runs: z.array(earlierRun).nullish(),
    assistant_id: z.union([z.literal('searcher'), identifier]).nullish(),
    assistant: customAssistant.nullish(),
    kb_id: z.string().nullish(),
    ...settings,
  })
  .refine(({ input, content }) => (input ?? content ?? undefined) !== undefined, {
    path: ['input'],
    message: 'input is required, or the deprecated content',
  })
  .refine(notBothToolLists, bothToolLists)
  .meta({ ...notBothToolListsSchema, ...withOneOf('input', 'content') })

export type GenerateRequest = z.output<typeof generateRequest>
export type OneShotRequest = z.output<typeof oneShotRequest>
