import { existsSync, rmSync } from 'node:fs'
import { type RequirementId, requirements } from '../../../contract/index.ts'
import { printable, wrap } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import { openJournal } from '../../conformance/cleanup/cleanup.ts'
import type { Io } from '../terminal/io.ts'

/** Fields that the profile lacks, with the requirements that need each. */
export type MissingMembers = ReadonlyMap<string, readonly RequirementId[]>

interface Checked {
  readonly url: string | undefined
  readonly target: string | undefined
  /** Columns of the terminal. */
  readonly width: number
}

/**
 * Lists the profile fields that an incomplete run of `chatgen check` lacks, and the commands that add
 * them; null if no required requirement lacks any.
 */
export function nextSteps(missing: MissingMembers, { url, target, width }: Checked): string | null {
  const waiting = [...missing]
    .map(([member, ids]) => ({ member, ids: ids.filter(isRequired) }))
    .filter(({ ids }) => ids.length > 0)
  if (waiting.length === 0) return null
  const total = waiting.reduce((sum, { ids }) => sum + ids.length, 0)
  const members = waiting.map(({ member }) => member).join(', ')
  const them = waiting.length === 1 ? 'it' : 'them'
  const summary = `${count(total, 'required requirement')} cannot be tested without ${members}`
  if (target !== undefined) return wrap(`${summary}: set ${them} in ${target}.`, width).join('\n')
  const address = url === undefined ? '' : ` ${printable(url)}`
  return [
    ...wrap(`${summary}. Set ${them} in a target profile:`, width),
    `  chatgen init${address} --out target.yaml    # then fill in the missing fields`,
    '  chatgen check --target target.yaml',
  ].join('\n')
}

function isRequired(id: RequirementId): boolean {
  return requirements[id].level === 'required'
}

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
