import type { Dialect, Fault } from '../../../reference-server/deviations/index.ts'
import type { Patch } from '../../../reference-server/index.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { didYouMean } from '../../conformance/profile/document.ts'

/** Text of `--list-faults` and `--list-dialects`: a line each, the name first. */
export function deviationsText(deviations: readonly (Fault | Dialect)[]): string {
  const width = Math.max(0, ...deviations.map(({ name }) => name.length))
  return deviations
    .map((deviation) => {
      const rows = 'breaks' in deviation ? ` (${deviation.breaks.join(', ')})` : ''
      return `${deviation.name.padEnd(width)}  ${deviation.summary}${rows}`
    })
    .join('\n')
}

/**
 * Resolves deviations by name.
 * @throws ConfigurationError for an unknown name
 */
export function refitsOf(
  kind: 'fault' | 'dialect',
  names: readonly string[],
  deviations: readonly (Fault | Dialect)[],
  unlisted: (name: string) => Dialect | undefined = () => undefined,
): Patch[] {
  return names.map((name) => {
    const found = deviations.find((deviation) => deviation.name === name) ?? unlisted(name)
    if (found) return found.patch
    const known = deviations.map((deviation) => deviation.name)
    const hint = didYouMean(name, known)
    throw new ConfigurationError([`unknown ${kind} ${name}.${hint} --list-${kind}s prints all`])
  })
}
