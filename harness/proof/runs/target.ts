import { isObject } from '../../../contract/json.ts'
import {
  type Pace,
  type Patch,
  type ReferenceServer,
  startReferenceServer,
} from '../../../reference-server/index.ts'
import { loadProfile, membersOf, type TargetProfile } from '../../conformance/profile/index.ts'

type Members = Readonly<Record<string, unknown>>

/** A server to run the suites against. */
export interface ProofTarget {
  readonly profile: TargetProfile
  close(): Promise<void>
}

/** Fast, but slow enough to distinguish a stream from an unstreamed answer. */
const quick: Pace = { ttftMs: 2, gapMs: 1, jitter: 0 }

/**
 * The reference server with a deviation, described by the profile of the proof.
 *
 * @param changes JSON Merge Patch (RFC 7396) of the profile
 */
export async function startDeviant(
  patch: Patch,
  profile: { readonly name: string; readonly text: string },
  changes: Members = {},
  pace: Pace = quick,
): Promise<ProofTarget> {
  const server: ReferenceServer = await startReferenceServer({
    pace,
    patch,
    keys: ['sk-proof-first-caller', 'sk-proof-second-caller'],
    closeDeadlineMs: 500,
  })
  const environment = { CHATGEN_API_KEY: server.keys[0], CHATGEN_OTHER_KEY: server.keys[1] }
  const described = profileWith(changes, profile, environment, server.url)
  return { profile: described, close: () => server.close() }
}

/** A profile with a JSON Merge Patch applied. @throws ConfigurationError if the result is not a valid profile */
export function profileWith(
  changes: Members,
  profile: { readonly name: string; readonly text: string },
  environment: Readonly<Record<string, string | undefined>>,
  baseUrl: string,
): TargetProfile {
  const members = membersOf(profile)
  const changed = Object.entries(changes).map(([name, value]) => [
    name,
    mergePatch(members[name], value),
  ])
  return loadProfile(profile, environment, { baseUrl, ...Object.fromEntries(changed) })
}

function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const members = new Map(Object.entries(isObject(value) ? value : {}))
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) members.delete(name)
    else members.set(name, mergePatch(members.get(name), change))
  }
  return Object.fromEntries(members)
}
