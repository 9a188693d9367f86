import { existsSync, readFileSync } from 'node:fs'
import type { JournalHead } from '../../../contract/index.ts'
import { headLine, readJournal } from '../../conformance/cleanup/journal.ts'

export const lostName = 'Lost1 chatgen-5eed'
const lost = { event: 'create', kind: 'chat', name: lostName, scenario: 's' }

/** Text of the journal of a run that was killed; by default, one that has created a chat and not its answer. */
export function journalOf(
  baseUrl: string,
  entries: readonly object[] = [lost],
  more: Pick<JournalHead, 'prefixes' | 'keys'> = {},
): string {
  const head = headLine({ tag: 'chatgen-5eed', kit: '0.1.0', baseUrl, ...more }, String)
  return head + entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

/** Number of chats that a run has created until now, by its journal. */
export function createdIn(file: string): number {
  if (!existsSync(file) || !readFileSync(file, 'utf8').includes('\n')) return 0
  return readJournal(file).entries.filter(({ event }) => event === 'created').length
}
