import { existsSync, rmSync } from 'node:fs'
import { count } from '../../../reports/text/format.ts'
import { openJournal } from '../../conformance/cleanup/cleanup.ts'
import type { Io } from '../terminal/io.ts'

/** Reports the leftovers of a discovery; its journal is kept as long as it lists any. */
export function reportLeftovers(journalFile: string, io: Io): void {
  if (!existsSync(journalFile)) return
  const { chats, others } = openJournal(journalFile)
  const leftovers = [...chats, ...others]
  if (leftovers.length === 0) {
    rmSync(journalFile)
    return
  }
  const numbers = [...Map.groupBy(leftovers, ({ kind }) => kind)].map(([kind, all]) =>
    count(all.length, kind),
  )
  const next = chats.length > 0 ? `chatgen cleanup ${journalFile}` : `listed in ${journalFile}`
  io.err(`Left on the target: ${numbers.join(', ')} (${next})`)
}
