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

/** Rows about routes that the hand-made server does not have. */
export const unbuilt = ['V2-*', 'VER-*', 'V3-ATT-*', 'KB-*', 'RAG-*', 'V3-ASST-*', 'V3-ONE-08']

/** Rows about routes whose faults are not in the tables of wrong servers. */
export const besideTheTables = [
  ...['V3-ONE-*', 'V3-FAV-*'],
  ...[2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((row) => `V3-CHAT-${String(row).padStart(2, '0')}`),
]
