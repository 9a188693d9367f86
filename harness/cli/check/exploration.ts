import type { Exploration } from '../../conformance/exploration.ts'
import { type ProfileName, surfacesOfProfile } from '../../conformance/profile/selection.ts'

/** Operations that a run of everything explores. */
export const defaultOperations = 200

interface ExploreFlags {
  readonly profile: ProfileName
  readonly only: readonly string[]
  readonly explore?: number
}

/** Undefined if nothing is to be explored: random sequences are about chats, which are v3. */
export async function explorationFor(flags: ExploreFlags): Promise<Exploration | undefined> {
  const { profile, only } = flags
  const isWhole = profile === 'full' && only.length === 0
  const { explore = isWhole ? defaultOperations : 0 } = flags
  if (explore === 0 || !surfacesOfProfile(profile).includes('v3')) return undefined
  const { explorationOf } = await import('../../explore/run.ts')
  return explorationOf(explore)
}
