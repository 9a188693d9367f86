import { matchesGlob } from '../../../contract/glob.ts'
import {
  areaOf,
  type RequirementId,
  requirementIds,
  requirements,
  type Surface,
  surfaces,
} from '../../../contract/index.ts'
import { ConfigurationError } from '../errors.ts'
import { didYouMean } from './document.ts'

export const profileNames = [...surfaces, 'full'] as const
export type ProfileName = (typeof profileNames)[number]

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
  const problems = [...selection.only, ...selection.skip]
    .filter((glob) => !requirementIds.some((id) => matches(glob, id)))
    .map((glob) => `nothing in the catalogue matches ${glob}.${didYouMean(glob, vocabulary())}`)
  if (problems.length > 0) throw new ConfigurationError(problems)

  const rows = requirementIds.filter(
    (id) =>
      surfacesOf(id).every((surface) => covers(selection.profile, surface)) &&
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

/** A row that is about two surfaces needs both. */
export function surfacesOf(id: RequirementId): Surface[] {
  const { surface, also } = requirements[id]
  return also ? [surface, also] : [surface]
}

export function surfacesOfProfile(profile: ProfileName): Surface[] {
  return profile === 'full' ? [...surfaces] : [profile]
}

function covers(profile: ProfileName, surface: Surface): boolean {
  return surfacesOfProfile(profile).includes(surface)
}

/** A glob is compared with the id, the area and the title, whatever the case. */
function matches(glob: string, id: RequirementId): boolean {
  return [id, areaOf(id), requirements[id].title].some((text) => matchesGlob(text, glob))
}

function vocabulary(): string[] {
  return [...new Set([...requirementIds, ...requirementIds.map(areaOf)])]
}
