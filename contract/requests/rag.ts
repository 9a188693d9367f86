/** Retrieval before an answer, and its settings (section 4.4). */
import { z } from 'zod'
import { flag, flagOf } from './fields.ts'

const searchType = z.enum(['hybrid', 'dense', 'sparse'])
const threshold = z.number().min(0).max(1)

/** The document lists the members; the types of the last two are ours. */
const members = {
  threshold: threshold.nullish(),
  search_type: searchType.nullish(),
  limit: z.int().min(1).nullish(),
  rerank: z.boolean().nullish(),
  summary_mode: z.union([z.boolean(), z.enum(['none', 'sentence'])]).nullish(),
}

/** The same members as they stand in a query. */
export const searchSettingsQuery = {
  threshold: z.coerce.number().min(0).max(1).optional(),
  search_type: searchType.optional(),
  limit: z.coerce.number().int().min(1).optional(),
  rerank: flag.optional(),
  summary_mode: flagOf(['true', '1', 'sentence'], ['false', '0', 'none']).optional(),
}

export const searchSettings = z.looseObject(members)

/** Value in v2: a yes or no, or `agent` (section 4.2). */
export const plainRag = z.union([z.boolean(), z.literal('agent')])

/** Value in v3: an object as well, which means `true` with the search settings overridden. */
export const rag = z.union([plainRag, searchSettings])

export type Rag = z.output<typeof rag>
export type SearchSettings = z.output<typeof searchSettings>
