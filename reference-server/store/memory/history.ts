/** Histories in memory: append only, so that a position once read stays what it was. */

import type { HistoryRow, HistoryStore, StoredRun } from '../types.ts'
import type { ChatLife } from './chats.ts'

interface History {
  readonly runs: StoredRun[]
  readonly rows: HistoryRow[]
}

export function memoryHistory(): HistoryStore & ChatLife {
  const histories = new Map<string, History>()
  return {
    async append(chatId, run) {
      const history = histories.get(chatId)
      if (history === undefined) return
      history.runs.push(run)
      for (const item of [...run.input, ...run.output]) {
        history.rows.push({ runId: run.id, createdAt: run.createdAt, item })
      }
    },
    async page(chatId, after, limit) {
      const all = histories.get(chatId)?.rows ?? []
      const rows = all.slice(after, after + limit)
      const end = after + rows.length
      return { rows, next: end < all.length ? end : null }
    },
    async runs(chatId) {
      return histories.get(chatId)?.runs ?? []
    },
    open(chatId) {
      histories.set(chatId, { runs: [], rows: [] })
    },
    drop(chatId) {
      histories.delete(chatId)
    },
  }
}
