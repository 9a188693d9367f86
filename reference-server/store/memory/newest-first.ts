/** Rows of one owner by id, walked from the newest to the oldest. */
import type { Page, PageRequest } from '../types.ts'

export interface NewestFirst<Row> {
  get(id: string): Row | undefined
  /** A new row comes first; a known one keeps its place. */
  set(id: string, row: Row): void
  delete(id: string): boolean
  page(request: Pick<PageRequest, 'limit' | 'before'>, matches: (row: Row) => boolean): Page<Row>
}

/** Positions only grow, so that a walk over the list is not shifted by what comes or goes. */
export function newestFirst<Row>(): NewestFirst<Row> {
  const rows = new Map<string, { readonly row: Row; readonly position: number }>()
  let last = 0
  return {
    get: (id) => rows.get(id)?.row,
    set(id, row) {
      last += 1
      rows.set(id, { row, position: rows.get(id)?.position ?? last })
    },
    delete: (id) => rows.delete(id),
    page({ limit, before = Number.POSITIVE_INFINITY }, matches) {
      const rest = [...rows.values()]
        .filter(({ position, row }) => position < before && matches(row))
        .toReversed()
      const page = rest.slice(0, limit)
      return {
        rows: page.map(({ row }) => row),
        next: rest.length > limit ? (page.at(-1)?.position ?? null) : null,
      }
    },
  }
}

/** Case-insensitive substring match of names. */
export function nameHolds(search: string | undefined): (name: string) => boolean {
  const part = (search ?? '').toLowerCase()
  return (name) => name.toLowerCase().includes(part)
}
