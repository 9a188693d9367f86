/** Requests of v3 generation and history (section 4.3); fields that are not listed are tolerated. */
import { z } from 'zod'
import {
  bothToolLists,
  cursor,
  flag,
  identifier,
  maxTokens,
  notBothToolLists,
  notBothToolListsSchema,
  pageQuery,
  rag,
  rowLimit,
  searchSettings,
  searchSettingsQuery,
  temperature,
  toolLists,
  topP,
  withOneOf,
} from './fields.ts'
import { input, inputItem } from './input-items.ts'

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

/** A run of an accumulated history. The document shows only `output`; `input` is the question. */
const earlierRun = z.looseObject({
  id: z.string().nullish(),
  input: input.nullish(),
  output: z.union([z.string(), z.array(inputItem)]).nullish(),
})

/** The scenario of a one-shot without a catalogd assistant: the document does not show it. */
const customAssistant = z.looseObject({
  name: z.string().nullish(),
  instructions: z.string().nullish(),
  kb_id: z.string().nullish(),
})

export const oneShotRequest = z
  .looseObject({
    input: input.nullish(),
    /** Deprecated in favor of `input`, which takes precedence (section 9). */
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

export const createChatRequest = z.looseObject({ name: z.string().optional() })

/** The document does not show the body. A version in it has no effect (section 3). */
export const updateChatRequest = z.looseObject({
  name: z.string().optional(),
  is_favorite: z.boolean().optional(),
})

/** All parameters except `exclude_favorites` apply to every searchable list. */
export const searchedListQuery = z.looseObject({ search: z.string().optional(), ...pageQuery })

export const listChatsQuery = searchedListQuery.extend({ exclude_favorites: flag.optional() })

/** The form fields next to the file; `chat_id` is our own addition. */
export const uploadFields = z.looseObject({ chat_id: identifier.optional() })

export const listAttachmentsQuery = searchedListQuery.extend({ chat_id: identifier.optional() })

export const createBaseRequest = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
})

export const listQuery = z.looseObject(pageQuery)

export const searchBaseQuery = z.looseObject({ q: z.string().min(1), ...searchSettingsQuery })

export const searchBaseRequest = searchSettings.extend({ query: z.string().min(1) })
