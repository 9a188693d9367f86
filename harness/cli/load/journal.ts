import { join } from 'node:path'
import { closeJournal, startJournal } from '../../conformance/cleanup/journal-file.ts'
import { journalName } from '../../conformance/defaults.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import type { ClientIdentity } from '../../conformance/run-setup.ts'
import { partSize } from '../../load/plan/needs.ts'
import { type Part, type PlanSpec, wholePlan } from '../../load/plan/plan.ts'
import type { JournalPlace } from '../../load/setup/chat-journal.ts'

/** Starts the creation journal of a run that creates chats; undefined for other runs. */
export function openLoadJournal(
  folder: string,
  setup: ClientIdentity,
  { spec, shard }: { readonly spec: PlanSpec; readonly shard: Part | null },
): JournalPlace | undefined {
  const { v3, history } = partSize(spec, shard ?? wholePlan).needs
  if (v3 + history === 0) return undefined
  makeFolder(folder)
  const file = join(folder, journalName)
  startJournal(file, setup)
  return { file }
}

/** Removes the journal if nothing is left on the target; otherwise returns the command to clean up. */
export function closeLoadJournal(place: JournalPlace | undefined): readonly string[] {
  if (place === undefined || closeJournal(place.file) === 0) return []
  return [`chats may be left on the target: run chatgen cleanup ${place.file}`]
}
