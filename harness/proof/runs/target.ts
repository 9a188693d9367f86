import {
  type Pace,
  type Patch,
  type ReferenceServer,
  startReferenceServer,
} from '../../../reference-server/index.ts'
import { loadProfile, type TargetProfile } from '../../conformance/profile/index.ts'

/** A server to run the suites against. */
export interface ProofTarget {
  readonly profile: TargetProfile
  close(): Promise<void>
}

/** Quick, but slow enough that a stream can be told from an answer in one piece. */
const quick: Pace = { ttftMs: 2, gapMs: 1, jitter: 0 }

/** The reference server with a deviation, described by the profile that the proof is given. */
export async function startDeviant(
  patch: Patch,
  profile: { readonly name: string; readonly text: string },
  overrides: Readonly<Record<string, unknown>> = {},
  pace: Pace = quick,
): Promise<ProofTarget> {
  const server: ReferenceServer = await startReferenceServer({
    pace,
    patch,
    keys: ['sk-proof-first-caller', 'sk-proof-second-caller'],
    closeDeadlineMs: 500,
  })
  const environment = { CHATGEN_API_KEY: server.keys[0], CHATGEN_OTHER_KEY: server.keys[1] }
  const described = loadProfile(profile, environment, { baseUrl: server.url, ...overrides })
  return { profile: described, close: () => server.close() }
}
