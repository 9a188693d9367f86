import { readFileSync } from 'node:fs'
import { loadProfile, type TargetProfile } from '../../../conformance/profile/index.ts'
import { profileOf } from '../../../conformance/test-support/check.ts'
import type { HandMadeServer } from './server.ts'

/** All that the hand-made server has, in a profile as its owner would write it. */
export function wholeProfile(
  { url, key, otherKey }: HandMadeServer,
  more: Readonly<Record<string, unknown>> = {},
): TargetProfile {
  const text = readFileSync(new URL('target.yaml', import.meta.url), 'utf8')
  const environment = { HAND_MADE_KEY: key, HAND_MADE_OTHER_KEY: otherKey }
  return loadProfile({ name: 'target.yaml', text }, environment, { baseUrl: url, ...more })
}

/** The part of it that tables of wrong servers are about, described like any other target. */
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

/** Rows about routes that the tables of wrong servers leave alone. */
export const unbuilt = ['V2-*', 'VER-*', 'V3-ATT-*', 'KB-*', 'RAG-*', 'V3-ASST-*', 'V3-ONE-08']

/** Rows about routes and features whose faults are not in the tables of wrong servers. */
export const besideTheTables = [
  ...['OAI-MODELS-06', 'OAI-TOOL-*', 'OAI-FORMAT-*', 'OAI-N-*'],
  ...['V3-ONE-*', 'V3-FAV-*'],
  ...[2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((row) => `V3-CHAT-${String(row).padStart(2, '0')}`),
]
