import { type Call, Refusal } from './http.ts'
import type { ListKind } from './rules.ts'

export interface ListPage<T> {
  readonly rows: readonly T[]
  readonly cursor: string | null
}

/**
 * A page of a list whose elements have an immutable key. A cursor names the last element of a page, so that
 * additions and deletions between pages shift nothing.
 */
export function pageOf<T>(
  call: Call,
  kind: ListKind,
  list: readonly T[],
  keyOf: (element: T) => string,
  defaultLimit = call.rules.pageMax[kind],
): ListPage<T> {
  const limit = Math.min(limitOf(call, defaultLimit), call.rules.pageMax[kind])
  const from = startOf(call, list.map(keyOf))
  const { rows, next } = call.rules.page(kind, list, from, limit)
  const last = next === undefined ? undefined : list[next - 1]
  return { rows, cursor: last === undefined ? null : cursorAfter(keyOf(last)) }
}

function limitOf({ query }: Call, defaultLimit: number): number {
  const limit = query.get('limit')
  if (limit === null) return defaultLimit
  if (!/^[1-9]\d*$/.test(limit)) throw new Refusal(422, 'limit: a positive integer')
  return Number(limit)
}

function cursorAfter(key: string): string {
  return Buffer.from(`after ${key}`).toString('base64url')
}

function startOf({ query }: Call, keys: readonly string[]): number {
  const cursor = query.get('cursor')
  if (cursor === null) return 0
  const [word, key = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (word !== 'after') throw new Refusal(422, 'cursor: not one of ours')
  const position = keys.indexOf(key)
  if (position >= 0) return position + 1
  // If the named element was deleted, its position follows from the sort order of the keys.
  const later = keys.findIndex((other) => other > key)
  return later < 0 ? keys.length : later
}
