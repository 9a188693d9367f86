import type { CapacityProbe } from '../../../contract/report/capacity/probe.ts'

/**
 * Probes of about the same load, taken together.
 *
 * @param probes in ascending order of load
 * @param isSame tests if a probe has the load of the first of a group
 */
export function groupEqualLoads(
  probes: readonly CapacityProbe[],
  isSame: (first: CapacityProbe, probe: CapacityProbe) => boolean,
): CapacityProbe[][] {
  const groups: CapacityProbe[][] = []
  for (const probe of probes) {
    const group = groups.at(-1)
    const first = group?.[0]
    if (first !== undefined && isSame(first, probe)) group?.push(probe)
    else groups.push([probe])
  }
  return groups
}
