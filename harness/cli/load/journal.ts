import { join } from 'node:path'
import { closeJournal, startJournal } from '../../conformance/cleanup/journal-file.ts'
import { journalName } from '../../conformance/defaults.ts'
import { makeFolder } from '../../conformance/recording/make-folder.ts'
import type { ClientIdentity } from '../../conformance/run-setup.ts'
import { sizeOf } from '../../load/plan/needs.ts'
import { type Part, type PlanSpec, wholePlan } from '../../load/plan/plan.ts'
import type { JournalPlace } from '../../load/setup/chat-journal.ts'

/** Begins the creation journal of a run that makes chats; undefined for one that makes none. */
export function openLoadJournal(
  folder: string,
  setup: ClientIdentity,
  { spec, shard }: { readonly spec: PlanSpec; readonly shard: Part | null },
): JournalPlace | undefined {
  const { v3, history } = sizeOf(spec, shard ?? wholePlan).needs
  if (v3 + history === 0) return undefined
  makeFolder(folder)
  const file = join(folder, journalName)
  startJournal(file, setup)
  return { file }
}

/** A journal in which nothing is open goes; where something is, the words that say what to do. */
export function closeLoadJournal(place: JournalPlace | undefined): readonly string[] {
  if (place === undefined || closeJournal(place.file) === 0) return []
  return [`chatgen cleanup ${place.file} looks for the chats that are left, and deletes them`]
}
