import {
  areaOf,
  type ProfileName,
  type RequirementId,
  requirementIds,
  requirements,
  type Surface,
  sourceOf,
  surfaces,
  valueAt,
} from '../../../contract/index.ts'
import { matchesGlob } from '../../../contract/text.ts'
import { ConfigurationError } from '../errors.ts'
import { didYouMean } from './document.ts'
import type { TargetProfile } from './index.ts'

export { type ProfileName, profileNames } from '../../../contract/index.ts'

export interface Selection {
  readonly profile: ProfileName
  /** Globs over requirement ids, areas and titles; empty selects all. */
  readonly only: readonly string[]
  readonly skip: readonly string[]
}

/**
 * The requirements of a run, in the order of the catalog.
 * @throws ConfigurationError if a glob matches nothing.
 */
export function selectRequirements(selection: Selection): RequirementId[] {
  refuseUnknown([...selection.only, ...selection.skip])

  const ids = requirementIds.filter(
    (id) =>
      covers(selection.profile, id) &&
      (selection.only.length === 0 || selection.only.some((glob) => matches(glob, id))) &&
      !selection.skip.some((glob) => matches(glob, id)),
  )
  if (ids.length === 0) {
    throw new ConfigurationError([
      `no requirement is selected: profile ${selection.profile}, only ${selection.only.join(' ') || 'all'}, skip ${selection.skip.join(' ') || 'none'}`,
    ])
  }
  return ids
}

/** @throws ConfigurationError if a glob matches nothing. */
export function refuseUnknown(globs: readonly string[]): void {
  const vocabulary = [...new Set([...requirementIds, ...requirementIds.map(areaOf)])]
  const problems = globs
    .filter((glob) => !requirementIds.some((id) => matches(glob, id)))
    .map((glob) => `nothing in the catalog matches ${glob}.${didYouMean(glob, vocabulary)}`)
  if (problems.length > 0) throw new ConfigurationError(problems)
}

/** A requirement that is about two surfaces needs both. */
export function surfacesOf(id: RequirementId): Surface[] {
  const { surface, also } = requirements[id]
  return also ? [surface, also] : [surface]
}

export function surfacesOfProfile(profile: ProfileName): Surface[] {
  if (profile === 'full') return [...surfaces]
  return [profile === 'wire' ? 'openai' : profile]
}

function covers(profile: ProfileName, id: RequirementId): boolean {
  const own = surfacesOfProfile(profile)
  if (profile === 'wire' && sourceOf(id) !== 'wire') return false
  return surfacesOf(id).every((surface) => own.includes(surface))
}

/** Tests a glob against the id, the area and the title, ignoring case. */
export function matches(glob: string, id: RequirementId): boolean {
  return [id, areaOf(id), requirements[id].title].some((text) => matchesGlob(text, glob))
}

/** Reason why a requirement is not judged in a run, known before any request is sent. */
export interface SkipReason {
  readonly verdict: 'not-applicable' | 'unproven'
  readonly message: string
}

/**
 * Reason why the profile excludes a requirement: a field declared false makes it not applicable, one that is
 * not declared unproven, and the message names the field that would prove it.
 */
export function skipReason(id: RequirementId, profile: TargetProfile): SkipReason | undefined {
  const { capability, member } = requirements[id]
  if (profile.auth === 'none' && (areaOf(id).endsWith('-AUTH') || member === 'otherKey')) {
    return { verdict: 'not-applicable', message: 'the target profile has auth: none' }
  }
  if (capability && profile.capabilities[capability] === false) {
    const message = `the target profile has capabilities.${capability}: false`
    return { verdict: 'not-applicable', message }
  }
  if (member === 'deterministic' && !profile.deterministic) {
    return { verdict: 'not-applicable', message: 'the profile lacks deterministic: true' }
  }
  const missing = missingMember(id, profile)
  if (missing === undefined) return undefined
  return { verdict: 'unproven', message: `set ${missing} in the target profile to test this` }
}

/** The field that would prove a requirement, if the profile lacks it. */
function missingMember(id: RequirementId, profile: TargetProfile): string | undefined {
  const { capability, member } = requirements[id]
  const needed = [capability && `capabilities.${capability}`, member]
  return needed.find((name) => name && valueAt(profile, `/${name.replaceAll('.', '/')}`) == null)
}

/** The fields that the profile lacks, each with the requirements that need it; empty for a complete profile. */
export function missingMembers(
  ids: readonly RequirementId[],
  profile: TargetProfile,
): ReadonlyMap<string, readonly RequirementId[]> {
  const waiting = ids.filter((id) => skipReason(id, profile)?.verdict === 'unproven')
  return Map.groupBy(waiting, (id) => missingMember(id, profile) ?? '')
}

/** Condition for a scenario to be part of a run. */
export interface Condition {
  readonly requirements: readonly RequirementId[]
  /** It is ordinary traffic, which only incognito runs have. */
  readonly isOrdinary?: boolean
}

/** Tests if a scenario runs for these requirements, before any request is sent. */
export function isPlanned(
  { requirements: ids, isOrdinary = false }: Condition,
  judged: readonly RequirementId[],
  isIncognito = false,
): boolean {
  if (isOrdinary && !isIncognito) return false
  return ids.some((id) => judged.includes(id))
}
