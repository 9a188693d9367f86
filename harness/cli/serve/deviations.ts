import {
  combinationNamed,
  compose,
  type Dialect,
  dialects,
  type Fault,
  faults,
  generatedFaultNamed,
  loadFaults,
} from '../../../reference-server/deviations/index.ts'
import type { Patch } from '../../../reference-server/index.ts'
import { patchesNamed } from '../../library/deviations.ts'

const allFaults = [...faults, ...loadFaults]

/** @throws ConfigurationError for an unknown name */
export function patchNamed({
  fault,
  dialect,
}: {
  readonly fault: readonly string[]
  readonly dialect: readonly string[]
}): Patch {
  return compose([
    ...patchesNamed('fault', fault, allFaults, generatedFaultNamed),
    // Dialects apply to the output of faults, as in the proof.
    ...patchesNamed('dialect', dialect, dialects, combinationNamed),
  ])
}

/** Text of `--list-faults` and `--list-dialects`: a line each, the name first. */
export function listedText({
  listFaults = false,
  listDialects = false,
}: {
  readonly listFaults?: boolean
  readonly listDialects?: boolean
}): string {
  return [...(listFaults ? [allFaults] : []), ...(listDialects ? [dialects] : [])]
    .map(deviationsText)
    .join('\n')
}

function deviationsText(deviations: readonly (Fault | Dialect)[]): string {
  const width = Math.max(0, ...deviations.map(({ name }) => name.length))
  return deviations
    .map((deviation) => {
      const requirements = 'breaks' in deviation ? ` (${deviation.breaks.join(', ')})` : ''
      return `${deviation.name.padEnd(width)}  ${deviation.summary}${requirements}`
    })
    .join('\n')
}
