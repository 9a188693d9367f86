import {
  areaOf,
  type Capability,
  type RequirementId,
  requirementIds,
  requirements,
} from '../../../contract/index.ts'

/** The rows that wait for a capability to be declared, as a sentence. */
export function capabilityDecides(name: Capability): string {
  return sentence(requirementIds.filter((id) => requirements[id].capability === name))
}

/** The rows that wait for a member of the profile, or for something within it. */
export function memberDecides(name: string): string {
  const waits = (member: string | undefined) =>
    member === name || (member?.startsWith(`${name}.`) ?? false)
  return sentence(requirementIds.filter((id) => waits(requirements[id].member)))
}

const maxListed = 6

function sentence(ids: readonly RequirementId[]): string {
  if (ids.length === 0) return 'No row waits for it alone.'
  if (ids.length <= maxListed) return `Lets ${ids.join(', ')} be decided.`
  const areas = [...new Set(ids.map(areaOf))]
  return `Lets ${ids.length} rows of ${areas.join(', ')} be decided.`
}
