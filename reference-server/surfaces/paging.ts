/** Pages of a list, with opaque cursors (section 2.6). */
import { parseJson } from '../../contract/json.ts'
import { ApiError } from '../http/errors.ts'
import type { Page, PageRequest } from '../store/types.ts'

/** Largest page; a larger `limit` is capped. */
const maxPageSize = 200

export function pageSize(limit = 50): number {
  return Math.min(limit, maxPageSize)
}

interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly search?: string | undefined
}

/**
 * Body of every list of the native surfaces.
 *
 * @param list name of the only list that accepts the cursor
 * @throws ApiError 400 for a cursor of another server or list
 */
export async function pageBody<Row>(
  list: string,
  { limit, cursor, search }: PageQuery,
  record: (row: Row) => object,
  read: (page: PageRequest) => Promise<Page<Row>>,
): Promise<object> {
  const position = cursor === undefined ? undefined : readCursor(list, cursor)
  const { rows, next } = await read({ limit: pageSize(limit), before: position, search })
  const opaque = Buffer.from(JSON.stringify([list, next])).toString('base64url')
  return { result: rows.map(record), pagination: { cursor: next === null ? null : opaque } }
}

function readCursor(list: string, cursor: string): number {
  const value = parseJson(Buffer.from(cursor, 'base64url').toString())
  if (Array.isArray(value) && value[0] === list && Number.isSafeInteger(value[1]) && value[1] > 0) {
    return value[1]
  }
  throw new ApiError(400, 'The cursor does not belong to this list', 'invalid_cursor', 'cursor')
}
