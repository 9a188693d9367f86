import { count, printable } from '../../reports/text.ts'
import { type RequirementId, requirements } from '../contract/index.ts'

/** Members that the profile lacks, with the requirements that wait for each. */
export type MissingMembers = ReadonlyMap<string, readonly RequirementId[]>

interface Checked {
  readonly url: string | undefined
  readonly target: string | undefined
}

/**
 * What an incomplete run of `chatgen check` waits for in the profile, and the commands that get there;
 * null where no required row does.
 */
export function nextSteps(missing: MissingMembers, { url, target }: Checked): string | null {
  const waiting = [...missing]
    .map(([member, ids]) => ({ member, ids: ids.filter(isRequired) }))
    .filter(({ ids }) => ids.length > 0)
  if (waiting.length === 0) return null
  const rows = waiting.reduce((sum, { ids }) => sum + ids.length, 0)
  const members = waiting.map(({ member }) => member).join(', ')
  const what = `${count(rows, 'required requirement')} cannot be tested without ${members}`
  if (target !== undefined) return `${what}: add them to ${target}.`
  const address = url === undefined ? '' : ` ${printable(url)}`
  return [
    `${what}, which only a target profile can say:`,
    `  chatgen init${address} --out target.yaml    # then fill in what it leaves open`,
    '  chatgen check --target target.yaml',
  ].join('\n')
}

function isRequired(id: RequirementId): boolean {
  return requirements[id].level === 'required'
}
