import { interfaceRevision, suiteVersion } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { endpointsOf, networkOf, type TargetProfile } from '../../conformance/profile/index.ts'
import { secretsOf, surfaceCredentials } from '../../conformance/session/secrets.ts'
import { connectionProblem, type LoadOptions } from '../../load/options.ts'
import type { Mix } from '../../load/plan/mix.ts'
import type { PlanSpec } from '../../load/plan/plan.ts'
import type { Slo } from '../../load/slo/slo.ts'
import type { LoadTarget, Spread, V2Chat } from '../../load/target.ts'
import type { LoadFlags } from './flags.ts'

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

/** Flags that decide how a load is sent, for any plan. */
type SendingFlags = Pick<
  LoadFlags,
  | 'maxRefusals'
  | 'strict'
  | 'workers'
  | 'warmUp'
  | 'drain'
  | 'maxInFlight'
  | 'keepAlive'
  | 'connections'
  | 'shard'
  | 'startAt'
>

/** Options of a load run except its plan, its signal and its observers. */
type SendingOptions = Omit<LoadOptions, 'spec' | 'target' | 'signal' | 'onProgress' | 'onRecord'>

/**
 * The options of a load run against a target, as flags describe them.
 * @throws ConfigurationError if the flags do not fit the target
 */
export function loadOptions(
  flags: SendingFlags,
  target: LoadTarget,
  {
    spec,
    slos,
  }: { readonly spec: Pick<PlanSpec, 'idempotencyRaces'>; readonly slos: readonly Slo[] },
): SendingOptions {
  const { workers, keepAlive, connections: maxConnections } = flags
  const problem = connectionProblem({ maxConnections, workers, keepAlive, spec, target })
  if (problem !== undefined) throw new ConfigurationError([problem])
  return {
    slos,
    maxRefusals: flags.maxRefusals,
    ...(flags.strict === true ? { strict: true } : {}),
    shard: flags.shard ?? null,
    workers,
    warmUpMs: flags.warmUp ?? 'auto',
    drainMs: flags.drain,
    maxInFlight: flags.maxInFlight,
    keepAlive,
    maxConnections,
    startAt: flags.startAt ?? null,
    suite: { version: suiteVersion(), interface: interfaceRevision },
  }
}
