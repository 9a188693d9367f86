/** Pages of a list, with opaque cursors (section 2.6). */
import { parseJson } from '../../contract/json.ts'
import { ApiError } from '../http/errors.ts'
import type { Page } from '../store/types.ts'

/** Largest page; a larger `limit` is capped. */
const maxPageSize = 200

export function pageSize(limit = 50): number {
  return Math.min(limit, maxPageSize)
}

/** Body of every list of the native surfaces. */
export function pageBody<Row>(
  list: string,
  { rows, next }: Page<Row>,
  record: (row: Row) => object,
): object {
  return { result: rows.map(record), pagination: { cursor: writeCursor(list, next) } }
}

/** @param list name of the only list that accepts the cursor */
function writeCursor(list: string, position: number | null): string | null {
  return position === null
    ? null
    : Buffer.from(JSON.stringify([list, position])).toString('base64url')
}

/** @throws ApiError 400 for a cursor of another server or list */
export function readCursor(list: string, cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const value = parseJson(Buffer.from(cursor, 'base64url').toString())
  if (Array.isArray(value) && value[0] === list && Number.isSafeInteger(value[1]) && value[1] > 0) {
    return value[1]
  }
  throw new ApiError(400, 'The cursor does not belong to this list', {
    code: 'invalid_cursor',
    param: 'cursor',
  })
}
