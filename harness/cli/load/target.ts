import { suiteVersion } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { endpointsOf, networkOf, type TargetProfile } from '../../conformance/profile/index.ts'
import { secretsOf, surfaceCredentials } from '../../conformance/session/secrets.ts'
import type { Mix } from '../../load/plan/mix.ts'
import type { LoadTarget, Spread, V2Chat } from '../../load/target.ts'

/**
 * Converts a target profile for the load engine.
 * @param spread distribution over several endpoints; without it, all requests go to the first one
 */
export function loadTargetOf(profile: TargetProfile, seed: string, spread?: Spread): LoadTarget {
  const { models, assistants, requests, shapes, limits, recall } = profile
  const { openai, v2, v3 } = surfaceCredentials(profile)
  return {
    baseUrl: profile.baseUrl,
    ...(profile.prefixes === undefined ? {} : { prefixes: profile.prefixes }),
    ...(spread === undefined || profile.baseUrls === undefined
      ? {}
      : { endpoints: { list: endpointsOf(profile), spread } }),
    network: networkOf(profile),
    tokens: { openai: openai ?? null, v2: v2 ?? null, v3: v3 ?? null },
    headers: profile.headers,
    model: models.main,
    assistant: assistants?.withKnowledge ?? null,
    generate: requests.generate ?? {},
    recall,
    v2Chat: v2ChatOf(profile),
    createChat: requests.createChat ?? {},
    chatId: shapes.chatId ?? null,
    limits: {
      bodyBytes: limits.bodyBytes,
      streamBytes: limits.streamBytes,
      lineBytes: limits.lineBytes,
      streamEvents: limits.streamEvents,
      jsonDepth: limits.jsonDepth,
    },
    timeoutMs: limits.timeoutMs,
    runMs: limits.runMs,
    userAgent: `chatgen-conformance/${suiteVersion()}`,
    tag: `chatgen-load-${seed}`,
    secrets: secretsOf({ profile }),
  }
}

/** @throws ConfigurationError if the profile lacks a field that the mix needs */
export function requireWhatIsSent({ name, entries }: Mix, { v2Chat }: LoadTarget): void {
  if (v2Chat !== null || entries.every(({ kind }) => kind !== 'v2-turn')) return
  throw new ConfigurationError([
    `the mix ${name} contains v2-turn, which needs v2Chat in the target profile`,
  ])
}

function v2ChatOf({ v2Chat }: TargetProfile): V2Chat | null {
  if (v2Chat === undefined) return null
  if ('ids' in v2Chat) return { kind: 'ids', ids: v2Chat.ids }
  if ('anyUuid' in v2Chat) return { kind: 'any' }
  const { method, path, query = {}, body, id = null } = v2Chat.create
  return { kind: 'create', method, path, query, body, id }
}
