import { type Call, Refusal } from './http.ts'
import type { ListKind } from './rules.ts'

export interface ListPage<T> {
  readonly rows: readonly T[]
  readonly cursor: string | null
}

/**
 * A page of a list whose elements have a key that never changes: a cursor names the last element that
 * was shown, so that elements which come or go in between move nothing.
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
  // What it named is gone: the list is sorted by these keys.
  const later = keys.findIndex((other) => other > key)
  return later < 0 ? keys.length : later
}
