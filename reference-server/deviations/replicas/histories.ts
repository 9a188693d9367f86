/** Histories whose rows a replica caches or numbers by itself. */
import type { Patch } from '../../services.ts'
import type { HistoryRow, StoredRun } from '../../store/types.ts'
import { onStore } from '../patches/services.ts'

/** Caches each history until the replica itself adds to it. */
export function cachedHistory(): Patch {
  const cache = new Map<string, readonly HistoryRow[]>()
  return onStore('history', (store) => ({
    append: async (chat, run) => {
      cache.delete(chat)
      await store.append(chat, run)
    },
    page: async (chat, after, limit) => {
      const all = cache.get(chat) ?? (await store.page(chat, 0, 1_000_000)).rows
      if (all.length > 0) cache.set(chat, all)
      const rows = all.slice(after, after + limit)
      const end = after + rows.length
      return { rows, next: end < all.length ? end : null }
    },
  }))
}

/** Rows of several replicas have the same number, so that some are lost between pages. */
export function numberedHistory(numbers: Map<string, number>): Patch {
  const counts = new Map<string, number>()
  return onStore('history', (store) => ({
    append: async (chat, run) => {
      const number = counts.get(chat) ?? 0
      counts.set(chat, number + run.input.length + run.output.length)
      numbers.set(run.id, number)
      await store.append(chat, run)
    },
    page: async (chat, after, limit) => {
      const runs = await store.runs(chat)
      const numbered = runs.flatMap(({ id, createdAt, input, output }) =>
        [...input, ...output].map((item, at) => ({
          number: (numbers.get(id) ?? 0) + at + 1,
          row: { runId: id, createdAt, item },
        })),
      )
      const rest = numbered
        .filter(({ number }) => number > after)
        .toSorted((a, b) => a.number - b.number)
      const page = rest.slice(0, limit)
      return {
        rows: page.map(({ row }) => row),
        next: rest.length > limit ? (page.at(-1)?.number ?? null) : null,
      }
    },
  }))
}

/** A run without its content. */
export function withoutText(run: StoredRun): StoredRun {
  return { ...run, input: [], output: [] }
}
