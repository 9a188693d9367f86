import {
  combinationNamed,
  compose,
  type Dialect,
  dialects,
  type Fault,
  faults,
  generatedFaultNamed,
  loadFaults,
} from '../../reference-server/deviations/index.ts'
import type { Patch } from '../../reference-server/index.ts'
import { ConfigurationError } from '../conformance/errors.ts'
import { didYouMean } from '../conformance/profile/document.ts'

const allFaults = [...faults, ...loadFaults]

/** @throws ConfigurationError for an unknown name */
export function patchNamed(deviations: {
  readonly faults: readonly string[]
  readonly dialects: readonly string[]
}): Patch {
  return compose([
    ...patchesNamed('fault', deviations.faults, allFaults, generatedFaultNamed),
    // Dialects apply to the output of faults, as in the proof.
    ...patchesNamed('dialect', deviations.dialects, dialects, combinationNamed),
  ])
}

function patchesNamed(
  kind: 'fault' | 'dialect',
  names: readonly string[],
  deviations: readonly (Fault | Dialect)[],
  unlisted: (name: string) => { readonly patch: Patch } | undefined,
): Patch[] {
  return names.map((name) => {
    const isMeant = (deviation: Fault | Dialect) =>
      [deviation.name, wordOf(deviation)].includes(name)
    const found = deviations.find(isMeant) ?? unlisted(name)
    if (found) return found.patch
    const names = deviations.map((deviation) => deviation.name)
    const hint = didYouMean(name, names)
    throw new ConfigurationError([`unknown ${kind} ${name}.${hint} --list-${kind}s prints all`])
  })
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

/** Name of a deviation without blanks, for scripts. */
function wordOf({ name }: Fault | Dialect): string {
  return name.replaceAll(/[^\w.]+/g, '-').replace(/-$/, '')
}

function deviationsText(deviations: readonly (Fault | Dialect)[]): string {
  const width = Math.max(0, ...deviations.map((deviation) => wordOf(deviation).length))
  return deviations
    .map((deviation) => {
      const requirements = 'breaks' in deviation ? ` (${deviation.breaks.join(', ')})` : ''
      return `${wordOf(deviation).padEnd(width)}  ${deviation.summary}${requirements}`
    })
    .join('\n')
}
