/** Field schemas that several surfaces share. Optional fields also accept null, because SDKs send it. */
import { z } from 'zod'

export const identifier = z.guid().toLowerCase()

export const temperature = z.number().min(0).max(2).nullish()
export const topP = z.number().min(0).max(1).nullish()
export const maxTokens = z.int().min(1).nullish()

const toolNames = z.array(z.string()).nullish()

export const toolLists = { include_tools: toolNames, exclude_tools: toolNames }

const anyList = { type: 'array', items: {} }

/** `withOneToolList` in JSON Schema. */
const notBoth = {
  not: {
    required: ['include_tools', 'exclude_tools'],
    properties: { include_tools: anyList, exclude_tools: anyList },
  },
}

/** A request with one of both lists at most (sections 4.2 and 4.3). */
export function withOneToolList<
  Request extends z.ZodType<{ include_tools?: unknown; exclude_tools?: unknown }>,
>(request: Request, schema: object = {}): Request {
  return request
    .refine(({ include_tools, exclude_tools }) => include_tools == null || exclude_tools == null, {
      path: ['include_tools'],
      message: 'include_tools and exclude_tools are mutually exclusive',
    })
    .meta({ ...notBoth, ...schema })
}

/** JSON Schema of an object with one of these fields, neither null nor empty. */
export function withOneOf(...names: readonly string[]) {
  return {
    anyOf: names.map((name) => ({
      required: [name],
      properties: { [name]: { not: { enum: [null, ''] } } },
    })),
  }
}

/** A number of rows as a query parameter. */
export const rowLimit = z.coerce.number().int().min(1)

/** A boolean query parameter, as one of these words in upper or lower case. */
export function flagOf(truthy: string[], falsy: string[]) {
  const words = [...truthy, ...falsy].map((word) =>
    word.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`),
  )
  return z.stringbool({ truthy, falsy }).meta({ pattern: `^(${words.join('|')})$` })
}

export const flag = flagOf(['true', '1'], ['false', '0'])

/** Opaque; the pattern describes the cursors of the reference server. */
export const cursor = z.string().meta({
  pattern: '^[A-Za-z0-9_-]+$',
  description: 'Cursor of the previous page of this list',
})

/** Query parameters of every list. */
export const pageQuery = { limit: rowLimit.optional(), cursor: cursor.optional() }

const searchType = z.enum(['hybrid', 'dense', 'sparse'])
const threshold = z.number().min(0).max(1)

/** The document lists the fields; the types of the last two are ours. */
const members = {
  threshold: threshold.nullish(),
  search_type: searchType.nullish(),
  limit: z.int().min(1).nullish(),
  rerank: z.boolean().nullish(),
  summary_mode: z.union([z.boolean(), z.enum(['none', 'sentence'])]).nullish(),
}

/** The same fields as query parameters. */
export const searchSettingsQuery = {
  threshold: z.coerce.number().min(0).max(1).optional(),
  search_type: searchType.optional(),
  limit: z.coerce.number().int().min(1).optional(),
  rerank: flag.optional(),
  summary_mode: flagOf(['true', '1', 'sentence'], ['false', '0', 'none']).optional(),
}

export const searchSettings = z.looseObject(members)
export type SearchSettings = z.output<typeof searchSettings>

/** Value in v2: a boolean or `agent` (section 4.2). */
export const plainRag = z.union([z.boolean(), z.literal('agent')])

/** Value in v3: also an object, which means `true` with overridden search settings. */
export const rag = z.union([plainRag, searchSettings])

export type Rag = z.output<typeof rag>
