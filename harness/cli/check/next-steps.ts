import { type RequirementId, requirements } from '../../../contract/index.ts'
import { printable, wrap } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'

/** Members that the profile lacks, with the requirements that wait for each. */
export type MissingMembers = ReadonlyMap<string, readonly RequirementId[]>

interface Checked {
  readonly url: string | undefined
  readonly target: string | undefined
  /** Of the terminal, in columns. */
  readonly width: number
}

/**
 * What an incomplete run of `chatgen check` waits for in the profile, and the commands that get there;
 * null where no required row does.
 */
export function nextSteps(missing: MissingMembers, { url, target, width }: Checked): string | null {
  const waiting = [...missing]
    .map(([member, ids]) => ({ member, ids: ids.filter(isRequired) }))
    .filter(({ ids }) => ids.length > 0)
  if (waiting.length === 0) return null
  const rows = waiting.reduce((sum, { ids }) => sum + ids.length, 0)
  const members = waiting.map(({ member }) => member).join(', ')
  const what = `${count(rows, 'required requirement')} cannot be tested without ${members}`
  if (target !== undefined) return wrap(`${what}: add them to ${target}.`, width).join('\n')
  const address = url === undefined ? '' : ` ${printable(url)}`
  return [
    ...wrap(`${what}, which only a target profile can say:`, width),
    `  chatgen init${address} --out target.yaml    # then fill in what it leaves open`,
    '  chatgen check --target target.yaml',
  ].join('\n')
}

function isRequired(id: RequirementId): boolean {
  return requirements[id].level === 'required'
}
