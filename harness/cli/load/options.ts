import { interfaceRevision, suiteVersion } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { LoadOptions } from '../../load/options.ts'
import { connectionProblem } from '../../load/options.ts'
import type { PlanSpec } from '../../load/plan/plan.ts'
import type { Slo } from '../../load/slo/slo.ts'
import type { LoadTarget } from '../../load/target.ts'
import type { LoadFlags } from './flags.ts'

/** Flags that decide how a load is sent, whatever its plan. */
export type SendingFlags = Pick<
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

/** Everything of a load run but its plan, its signal and who observes it. */
export type SendingOptions = Omit<
  LoadOptions,
  'spec' | 'target' | 'signal' | 'onProgress' | 'onRecord'
>

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
