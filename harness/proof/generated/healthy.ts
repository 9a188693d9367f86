/** Requests and responses of the server without a fault, with which generated faults are compared. */
import {
  type Circumstance,
  type GeneratedFault,
  operationOf,
  watchRequests,
} from '../../../reference-server/deviations/index.ts'
import type { ProfileName } from '../../conformance/profile/selection.ts'
import type { Depth } from '../../conformance/run-setup.ts'
import type { Engine } from '../../conformance/vitest/engine.ts'
import { type Fingerprint, fingerprintOf, stablePart } from '../runs/fingerprint.ts'
import { type Attempt, observe, startDeviant } from '../runs/run-target.ts'
import { failedIds } from '../verdicts.ts'

export interface Healthy {
  /** The part of the traffic that two runs have in common. */
  readonly stable: Fingerprint
  /** Requirements that turn red without a fault. */
  readonly accused: readonly string[]
  /** Titles of the scenarios with a request that a fault can affect; undefined for all. */
  titlesFor(fault: GeneratedFault): readonly string[] | undefined
}

export async function recordHealthy(
  profile: ProfileName,
  depth: Depth,
  engine: Engine,
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
  const open = () => startDeviant(patch)
  return {
    ...(await recordTwice(profile, depth, noting, open)),
    titlesFor: (fault) => {
      const calls = fault.isOfKeys
        ? keyless.filter((call) => operationOf(call) === fault.operation)
        : circumstances.filter((one) => fault.isMetBy(one)).map(({ call }) => call)
      const slugs = new Set(calls.map(({ id }) => id.split('/')[1] ?? ''))
      return [...slugs].flatMap((slug) => titles.get(slug) ?? [])
    },
  }
}

/** The common part of two runs against a server without a fault. */
export async function recordTwice(
  profile: ProfileName,
  depth: Depth,
  engine: Engine,
  open: Attempt['open'],
): Promise<Pick<Healthy, 'stable' | 'accused'>> {
  const selection = { profile, only: [], skip: [] }
  const attempt: Attempt = { kind: 'clean', name: `clean-${profile}`, open, selection, depth }
  const first = await observe(attempt, engine, fingerprintOf)
  const second = await observe(attempt, engine, fingerprintOf)
  return { stable: stablePart(first.traffic, second.traffic), accused: failedIds(first) }
}

/** An engine that runs only some scenarios. */
export function runningOnly(titles: readonly string[], engine: Engine): Engine {
  return {
    close: () => engine.close(),
    run: (collector, setup, signal) => engine.run(collector, setup, signal, titles),
  }
}
