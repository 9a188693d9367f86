/** Field schemas that several surfaces share. Optional members also accept null, as SDKs send it. */
import { z } from 'zod'

export const identifier = z.guid().toLowerCase()

export const temperature = z.number().min(0).max(2).nullish()
export const topP = z.number().min(0).max(1).nullish()
export const maxTokens = z.int().min(1).nullish()

const toolNames = z.array(z.string()).nullish()

export const toolLists = { include_tools: toolNames, exclude_tools: toolNames }

/** Both lists in one request are not allowed (sections 4.2 and 4.3). */
export function notBothToolLists(body: {
  readonly include_tools?: unknown
  readonly exclude_tools?: unknown
}): boolean {
  return (
    (body.include_tools ?? undefined) === undefined ||
    (body.exclude_tools ?? undefined) === undefined
  )
}

export const bothToolLists = {
  path: ['include_tools'],
  message: 'include_tools and exclude_tools are mutually exclusive',
}

/** A number of rows, as it stands in a query. */
export const rowLimit = z.coerce.number().int().min(1)

/** A yes or no, as it stands in a query. */
export const flag = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] })

/** Query parameters of every list. */
export const pageQuery = { limit: rowLimit.optional(), cursor: z.string().optional() }
