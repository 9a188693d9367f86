/** Histories in a database: a row for each run, with the number of history rows up to it. */
import type { FinishedTurn, HistoryRow, Page, StoredRun } from '../types.ts'
import { type Database, type JsonRow, jsonOf, type Query } from './database.ts'

/** Maximum number of chats whose parsed runs are cached; for these, only new runs are read. */
const maxCached = 500

interface CachedRuns {
  readonly count: number
  readonly runs: readonly StoredRun[]
}

/** @param finish finishes the key of a turn within the transaction that stores the turn */
export function sqlHistory(
  { query, transaction }: Database,
  finish: (query: Query, turn: FinishedTurn) => Promise<void>,
) {
  const cache = new Map<string, CachedRuns>()

  function keep(chatId: string, read: CachedRuns): void {
    cache.delete(chatId)
    cache.set(chatId, read)
    for (const oldest of cache.keys()) {
      if (cache.size <= maxCached) break
      cache.delete(oldest)
    }
  }

  return {
    /**
     * Adds the whole run or nothing; its rows are contiguous. Nothing is stored for a deleted chat. The key of the turn
     * is finished in the same transaction, otherwise a repeat after a crash would add the step again.
     *
     * @throws StoreFailure if another request has taken over the key; nothing is stored then
     */
    async append(chatId: string, run: StoredRun, turn?: FinishedTurn): Promise<void> {
      const count = await transaction(async (inside) => {
        if (turn !== undefined) await finish(inside, turn)
        const added = run.input.length + run.output.length
        // The chat is locked from here on, so that its rows are numbered in the order of their commits.
        const [chat] = await inside<{ run_count: number; row_count: number }>(
          `UPDATE chats SET run_count = run_count + 1, row_count = row_count + ?,
             updated_at = COALESCE(?, updated_at) WHERE id = ? RETURNING run_count, row_count`,
          [added, turn?.updatedAt ?? null, chatId],
        )
        if (chat === undefined) return undefined
        await inside(
          'INSERT INTO runs (chat_id, number, row_count, last_row, run) VALUES (?, ?, ?, ?, ?)',
          [chatId, chat.run_count, added, chat.row_count, JSON.stringify(run)],
        )
        return chat.run_count
      })
      const cached = cache.get(chatId)
      // Otherwise, another server has added runs that are not cached here.
      if (cached !== undefined && cached.count + 1 === count) {
        keep(chatId, { count, runs: [...cached.runs, run] })
      }
    },
    /** Oldest first, the rows after position `after` (0: from the start). */
    async page(chatId: string, after: number, limit: number): Promise<Page<HistoryRow>> {
      // Each of these runs has at least one row, so they fill the page and show if there are more rows.
      const found = await query<JsonRow & { last_row: number; row_count: number }>(
        `SELECT last_row, row_count, run AS json FROM runs
         WHERE chat_id = ? AND last_row > ? AND row_count > 0 ORDER BY last_row LIMIT ?`,
        [chatId, after, limit + 1],
      )
      const rows: HistoryRow[] = []
      const skipped = after - ((found[0]?.last_row ?? 0) - (found[0]?.row_count ?? 0))
      for (const stored of found) {
        if (rows.length > skipped + limit) break
        const { id: runId, createdAt, input, output } = jsonOf<StoredRun>(stored)
        for (const item of [...input, ...output]) rows.push({ runId, createdAt, item })
      }
      const end = skipped + limit
      return { rows: rows.slice(skipped, end), next: rows.length > end ? after + limit : null }
    },
    /** Oldest first. */
    async runs(chatId: string): Promise<readonly StoredRun[]> {
      const cached = cache.get(chatId) ?? { count: 0, runs: [] }
      const rows = await query<{ json: string | null }>(
        `SELECT runs.run AS json FROM chats LEFT JOIN runs
           ON runs.chat_id = chats.id AND runs.number > ?
         WHERE chats.id = ? ORDER BY runs.number`,
        [cached.count, chatId],
      )
      if (rows.length === 0) {
        cache.delete(chatId)
        return []
      }
      const added = rows.flatMap(({ json }) => (json === null ? [] : jsonOf<StoredRun>({ json })))
      const runs = [...cached.runs, ...added]
      keep(chatId, { count: cached.count + added.length, runs })
      return runs
    },
  }
}
