/** Histories in a database: a row for each run, with the number of history rows up to it. */
import type { FinishedTurn, HistoryRow, HistoryStore, StoredRun } from '../types.ts'
import { type Database, jsonOf, numberOf, type Query } from './database.ts'

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
): HistoryStore {
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
    async append(chatId, run, turn) {
      const count = await transaction(async (inside) => {
        // Stored atomically, otherwise a repeat after a crash would add the step again.
        if (turn !== undefined) await finish(inside, turn)
        const added = run.input.length + run.output.length
        // The chat is locked from here on, so that its rows are numbered in the order of their commits.
        const [chat] = await inside(
          `UPDATE chats SET run_count = run_count + 1, row_count = row_count + ? WHERE id = ?
           RETURNING run_count, row_count`,
          [added, chatId],
        )
        if (chat === undefined) return undefined
        const number = numberOf(chat, 'run_count')
        await inside(
          'INSERT INTO runs (chat_id, number, row_count, last_row, run) VALUES (?, ?, ?, ?, ?)',
          [...[chatId, number, added, numberOf(chat, 'row_count')], JSON.stringify(run)],
        )
        return number
      })
      const cached = cache.get(chatId)
      // Otherwise, another server has added runs that are not cached here.
      if (cached !== undefined && cached.count + 1 === count) {
        keep(chatId, { count, runs: [...cached.runs, run] })
      }
    },
    async page(chatId, after, limit) {
      // Each of these runs has at least one row, so they fill the page and show if there are more rows.
      const found = await query(
        `SELECT last_row, row_count, run FROM runs
         WHERE chat_id = ? AND last_row > ? AND row_count > 0 ORDER BY last_row LIMIT ?`,
        [chatId, after, limit + 1],
      )
      const rows: { readonly number: number; readonly row: HistoryRow }[] = []
      for (const stored of found) {
        if (rows.length > limit) break
        const run = jsonOf<StoredRun>(stored, 'run')
        const before = numberOf(stored, 'last_row') - numberOf(stored, 'row_count')
        for (const [at, item] of [...run.input, ...run.output].entries()) {
          const number = before + at + 1
          const row = { runId: run.id, createdAt: run.createdAt, item }
          if (number > after) rows.push({ number, row })
        }
      }
      const pageRows = rows.slice(0, limit)
      return {
        rows: pageRows.map(({ row }) => row),
        next: rows.length > limit ? (pageRows.at(-1)?.number ?? null) : null,
      }
    },
    async runs(chatId) {
      const cached = cache.get(chatId) ?? { count: 0, runs: [] }
      const rows = await query(
        `SELECT runs.number, runs.run FROM chats LEFT JOIN runs
           ON runs.chat_id = chats.id AND runs.number > ?
         WHERE chats.id = ? ORDER BY runs.number`,
        [cached.count, chatId],
      )
      if (rows.length === 0) {
        cache.delete(chatId)
        return []
      }
      const added = rows.filter(({ run }) => run !== null)
      const runs = [...cached.runs, ...added.map((row) => jsonOf<StoredRun>(row, 'run'))]
      keep(chatId, { count: cached.count + added.length, runs })
      return runs
    },
  }
}
