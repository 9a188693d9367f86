import { matchesGlob } from '../../../contract/glob.ts'
import {
  areaOf,
  type ProfileName,
  type RequirementId,
  requirementIds,
  requirements,
  type Surface,
  sourceOf,
  surfaces,
} from '../../../contract/index.ts'
import { ConfigurationError } from '../errors.ts'
import { didYouMean } from './document.ts'

export { type ProfileName, profileNames } from '../../../contract/index.ts'

export interface Selection {
  readonly profile: ProfileName
  /** Globs over requirement ids, areas and titles; empty selects all. */
  readonly only: readonly string[]
  readonly skip: readonly string[]
}

/**
 * The rows that a run is about, in the order of the catalogue.
 * @throws ConfigurationError where a glob matches nothing.
 */
export function selectRows(selection: Selection): RequirementId[] {
  refuseUnknown([...selection.only, ...selection.skip])

  const rows = requirementIds.filter(
    (id) =>
      covers(selection.profile, id) &&
      (selection.only.length === 0 || selection.only.some((glob) => matches(glob, id))) &&
      !selection.skip.some((glob) => matches(glob, id)),
  )
  if (rows.length === 0) {
    throw new ConfigurationError([
      `no requirement is left: profile ${selection.profile}, only ${selection.only.join(' ') || 'all'}, skip ${selection.skip.join(' ') || 'none'}`,
    ])
  }
  return rows
}

/** @throws ConfigurationError where a glob matches nothing. */
export function refuseUnknown(globs: readonly string[]): void {
  const problems = globs
    .filter((glob) => !requirementIds.some((id) => matches(glob, id)))
    .map((glob) => `nothing in the catalogue matches ${glob}.${didYouMean(glob, vocabulary())}`)
  if (problems.length > 0) throw new ConfigurationError(problems)
}

/** A row that is about two surfaces needs both. */
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

/** Tests a glob against the id, the area and the title, whatever the case. */
export function matches(glob: string, id: RequirementId): boolean {
  return [id, areaOf(id), requirements[id].title].some((text) => matchesGlob(text, glob))
}

function vocabulary(): string[] {
  return [...new Set([...requirementIds, ...requirementIds.map(areaOf)])]
}
