import type { Surface } from '../../../contract/index.ts'
import type { TargetProfile } from '../profile/index.ts'

/** The bearer token of each surface; undefined where the profile has none. */
export function surfaceCredentials(
  profile: Pick<TargetProfile, 'apiKey' | 'compatKey' | 'nativeToken'>,
): Readonly<Record<Surface, string | undefined>> {
  const native = profile.nativeToken ?? profile.apiKey
  return { openai: profile.compatKey ?? profile.apiKey, v2: native, v3: native }
}
