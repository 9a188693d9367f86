import { type RequirementId, requirements } from '../../../contract/index.ts'
import { printable, wrap } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'

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
