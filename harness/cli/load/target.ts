import { interfaceRevision, suiteVersion } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import {
  declaredCapabilities,
  endpointsOf,
  networkOf,
  profileOfEndpoint,
  type TargetProfile,
} from '../../conformance/profile/index.ts'
import { secretsOf, surfaceCredentials } from '../../conformance/session/secrets.ts'
import { connectionProblem, type LoadOptions } from '../../load/options.ts'
import { surfaceOf } from '../../load/plan/mix.ts'
import type { PlanSpec } from '../../load/plan/plan.ts'
import type { Slo } from '../../load/slo/slo.ts'
import type { LoadTarget, Spread } from '../../load/target.ts'
import type { LoadFlags, TrafficFlags } from './flags.ts'

/**
 * A load that is ready to be sent to a target.
 * @throws ConfigurationError if the flags or the profile do not fit the load
 */
export function prepareLoad(
  profile: TargetProfile,
  flags: SendingFlags,
  { spec, slos, spread }: Load,
) {
  const { workers, keepAlive, connections: maxConnections, strict } = flags
  const target = loadTargetOf(profile, spec.seed, spread)
  const { name, entries } = spec.mix
  if (target.v2Chat === null && entries.some(({ kind }) => kind === 'v2-turn')) {
    throw new ConfigurationError([
      `the mix ${name} contains v2-turn, which needs v2Chat in the target profile: chatgen init URL finds out how v2 chats are made`,
    ])
  }
  const problem = connectionProblem({ maxConnections, workers, keepAlive, spec, target })
  if (problem !== undefined) throw new ConfigurationError([problem])
  const setup = { profile, tag: target.tag, userAgent: target.userAgent }
  return {
    target,
    setup,
    /** Options of a load run except its plan, its signal and its observers. */
    options: {
      slos,
      maxRefusals: flags.maxRefusals,
      ...(strict === true ? { strict } : {}),
      shard: flags.shard ?? null,
      workers,
      warmUpMs: flags.warmUp ?? 'auto',
      drainMs: flags.drain,
      maxInFlight: flags.maxInFlight,
      keepAlive,
      maxConnections,
      startAt: flags.startAt ?? null,
      suite: { version: suiteVersion(), interface: interfaceRevision },
    } satisfies Partial<LoadOptions>,
    /** Tests that every endpoint answers on the surfaces of the load. */
    async preflight(signal: AbortSignal): Promise<void> {
      const { preflight } = await import('../../conformance/preflight/preflight.ts')
      const surfaces = [...new Set(entries.map(({ kind }) => surfaceOf(kind)))]
      for (const endpoint of endpointsOf(profile)) {
        const own = profileOfEndpoint(profile, endpoint)
        await preflight({ ...setup, profile: own }, surfaces, { signal })
      }
    },
  }
}

interface Load {
  readonly spec: Pick<PlanSpec, 'seed' | 'mix' | 'idempotencyRaces'>
  readonly slos: readonly Slo[]
  /** Distribution over several endpoints. */
  readonly spread: Spread
}

/** Converts a target profile for the load engine; without a spread, all requests go to the first endpoint. */
export function loadTargetOf(profile: TargetProfile, seed: string, spread?: Spread): LoadTarget {
  const { models, assistants, requests, shapes, limits, recall } = profile
  const { openai, v2, v3 } = surfaceCredentials(profile)
  return {
    baseUrl: profile.baseUrl,
    ...(profile.prefixes === undefined ? {} : { prefixes: profile.prefixes }),
    capabilities: declaredCapabilities(profile),
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
    v2Chat: profile.v2Chat ?? null,
    createChat: requests.createChat ?? {},
    chatId: shapes.chatId ?? null,
    limits,
    timeoutMs: limits.timeoutMs,
    runMs: limits.runMs,
    userAgent: `chatgen-conformance/${suiteVersion()}`,
    tag: `chatgen-load-${seed}`,
    secrets: secretsOf({ profile }),
  }
}

/** Flags that decide how a load is sent, for any plan. */
type SendingFlags = TrafficFlags & Pick<LoadFlags, 'strict' | 'shard' | 'startAt'>
