import type { TargetProfile } from '../../profile/index.ts'
import { profileOf } from '../check.ts'
import type { HandMadeServer } from './server.ts'

/** The hand-made server described like any other target. */
export function handMadeProfile(
  { url, key }: Pick<HandMadeServer, 'url' | 'key'>,
  more: Readonly<Record<string, unknown>> = {},
): TargetProfile {
  return profileOf({
    baseUrl: url,
    apiKey: key,
    capabilities: { reasoning: true, images: false, video: false },
    ...more,
  })
}
