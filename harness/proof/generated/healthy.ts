/** Requests and responses of the server without a fault, with which generated faults are compared. */
import {
  type Circumstance,
  type GeneratedFault,
  operationOf,
  watchRequests,
} from '../../../reference-server/deviations/index.ts'
import type { Patch } from '../../../reference-server/index.ts'
import { defaultOperations } from '../../conformance/defaults.ts'
import type { Depth } from '../../conformance/run-setup.ts'
import type { Engine } from '../../conformance/vitest/engine.ts'
import { plainAttempt } from '../runs/attempts.ts'
import { type Fingerprint, fingerprintOf, stablePart } from '../runs/fingerprint.ts'
import { observe, type ProofTarget, startDeviant } from '../runs/run-target.ts'
import { failedIds } from '../verdicts.ts'

/** The server in which faults of the grammar are. */
export interface GeneratedTarget {
  readonly open: (patch: Patch) => Promise<ProofTarget>
  /** Operations of an exploration that it is known to pass without a fault; none by default. */
  readonly explore?: number
}

export const referenceTarget: GeneratedTarget = { open: startDeviant, explore: defaultOperations }

export interface Healthy {
  /** The part of the traffic that two runs have in common. */
  readonly stable: Fingerprint
  /** Requirements that turn red without a fault. */
  readonly accused: readonly string[]
  /** Titles of the scenarios with a request that a fault can affect. */
  titlesFor(fault: GeneratedFault): readonly string[]
}

/** The common part of two runs against a server without a fault. */
export async function recordHealthy(
  depth: Depth,
  engine: Engine,
  { open }: GeneratedTarget,
): Promise<Healthy> {
  const circumstances: Circumstance[] = []
  const keyless: Circumstance['call'][] = []
  const titles = new Map<string, string>()
  const patch = watchRequests(
    (circumstance) => void circumstances.push(circumstance),
    (call) => void keyless.push(call),
  )
  const noting: Engine = {
    close: () => engine.close(),
    run: async (collector, ...rest) => {
      const isStopped = await engine.run(collector, ...rest)
      for (const { slug, title } of collector.scenarios) titles.set(slug, title)
      return isStopped
    },
  }
  const attempt = { ...plainAttempt('full'), depth, open: () => open(patch) }
  const first = await observe(attempt, noting, fingerprintOf)
  const second = await observe(attempt, noting, fingerprintOf)
  return {
    stable: stablePart(first.traffic, second.traffic),
    accused: failedIds(first),
    titlesFor: (fault) => {
      const calls = fault.isOfKeys
        ? keyless.filter((call) => operationOf(call) === fault.operation)
        : circumstances.filter((one) => fault.isMetBy(one)).map(({ call }) => call)
      const slugs = new Set(calls.map(({ id }) => id.split('/')[1] ?? ''))
      return [...slugs].flatMap((slug) => titles.get(slug) ?? [])
    },
  }
}

/** An engine that runs only some scenarios. */
export function runningOnly(titles: readonly string[], engine: Engine): Engine {
  return {
    close: () => engine.close(),
    run: (collector, setup, signal) => engine.run(collector, setup, signal, titles),
  }
}
