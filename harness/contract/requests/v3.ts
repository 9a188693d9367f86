/** Requests of the native v3 surface (section 4.3); members that are not listed are tolerated. */
import { z } from 'zod'
import {
  bothToolLists,
  identifier,
  maxTokens,
  notBothToolLists,
  temperature,
  toolNames,
  topP,
} from './fields.ts'
import { input } from './input-items.ts'

const pageSize = z.coerce.number().int().min(1)

/** Section 4.4: an object means `true` with the search parameters overridden. */
export const rag = z.union([
  z.boolean(),
  z.literal('agent'),
  z.looseObject({
    threshold: z.number().nullish(),
    search_type: z.enum(['hybrid', 'dense', 'sparse']).nullish(),
    limit: z.int().min(1).nullish(),
  }),
])

export const createChatRequest = z.looseObject({ name: z.string().optional() })

export const listChatsQuery = z.looseObject({
  search: z.string().optional(),
  limit: pageSize.optional(),
  cursor: z.string().optional(),
})

export const historyQuery = z.looseObject({
  chat_id: identifier,
  limit: pageSize.default(50),
  cursor: z.string().optional(),
})

export const generateRequest = z
  .looseObject({
    stream: z.boolean().nullish(),
    chat_id: identifier,
    assistant_id: identifier.nullish(),
    model_id: z.string(),
    input,
    parent_id: z.string().nullish(),
    think: z.boolean().nullish(),
    rag: rag.nullish(),
    include_tools: toolNames,
    exclude_tools: toolNames,
    max_tokens: maxTokens,
    temperature,
    top_p: topP,
    presence_penalty: z.number().min(-2).max(2).nullish(),
  })
  .refine(notBothToolLists, bothToolLists)

export type CreateChatRequest = z.output<typeof createChatRequest>
export type ListChatsQuery = z.output<typeof listChatsQuery>
export type HistoryQuery = z.output<typeof historyQuery>
export type GenerateRequest = z.output<typeof generateRequest>
export type Rag = z.output<typeof rag>
