import { existsSync, rmSync } from 'node:fs'
import { count } from '../../../reports/text/format.ts'
import { openJournal } from '../../conformance/cleanup/cleanup.ts'
import { fitted } from '../terminal/fitted.ts'
import type { Io } from '../terminal/io.ts'

/** Says what a discovery has left on the target; its journal stays for as long as it names something. */
export function settleJournal(journalFile: string, io: Io): void {
  if (!existsSync(journalFile)) return
  const { chats, others } = openJournal(journalFile)
  const left = [...chats, ...others]
  if (left.length === 0) {
    rmSync(journalFile)
    return
  }
  const numbers = [...Map.groupBy(left, ({ kind }) => kind)].map(([kind, all]) =>
    count(all.length, kind),
  )
  const next = chats.length > 0 ? `chatgen cleanup ${journalFile}` : `named in ${journalFile}`
  const text = `Left on the target: ${numbers.join(', ')} (${next})`
  io.err(fitted(text, io))
}
