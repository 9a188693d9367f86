import type { Patch } from '../../reference-server/index.ts'
import { ConfigurationError } from '../conformance/errors.ts'
import { didYouMean } from '../conformance/profile/document.ts'

interface Deviation {
  readonly name: string
  readonly patch: Patch
}

/**
 * Resolves deviations by name.
 * @throws ConfigurationError for an unknown name
 */
export function patchesNamed(
  kind: 'fault' | 'dialect',
  names: readonly string[],
  deviations: readonly Deviation[],
  unlisted: (name: string) => Deviation | undefined = () => undefined,
): Patch[] {
  return names.map((name) => {
    const found = deviations.find((deviation) => deviation.name === name) ?? unlisted(name)
    if (found) return found.patch
    const names = deviations.map((deviation) => deviation.name)
    const hint = didYouMean(name, names)
    throw new ConfigurationError([`unknown ${kind} ${name}.${hint} --list-${kind}s prints all`])
  })
}
