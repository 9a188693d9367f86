/** Pages: a list in pieces, and a cursor that is opaque to those who carry it. */
import { ApiError } from '../http/errors.ts'
import type { Page } from '../store/types.ts'

/** The form of every list of the native surfaces (section 2.6). */
export function pageBody<Row>(
  list: string,
  { rows, next }: Page<Row>,
  record: (row: Row) => object,
): object {
  return { result: rows.map(record), pagination: { cursor: writeCursor(list, next) } }
}

/** @param list what is being walked; a cursor is good for that alone */
function writeCursor(list: string, position: number | null): string | null {
  return position === null
    ? null
    : Buffer.from(JSON.stringify([list, position])).toString('base64url')
}

/** @throws ApiError 400 for a cursor that is not ours, or of another list */
export function readCursor(list: string, cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const value = decode(cursor)
  if (Array.isArray(value) && value[0] === list && Number.isSafeInteger(value[1]) && value[1] > 0) {
    return value[1]
  }
  throw new ApiError(400, 'The cursor does not belong to this list', {
    code: 'invalid_cursor',
    param: 'cursor',
  })
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}
