import type { Dialect } from '../../../reference-server/deviations/index.ts'
import type { Engine } from '../../conformance/vitest/engine.ts'
import { dialectAttempt } from './attempts.ts'
import { type Fingerprint, fingerprintOf, stablePart } from './fingerprint.ts'
import { type Attempt, type Observed, observe } from './run-target.ts'

type Selection = Attempt['selection']

/** Runs against dialects alone, each made once for all faults that are tried in the dialect. */
export interface Controls {
  run(dialect: Dialect, selection: Selection): Promise<Observed<Fingerprint>>
  /** The part of the traffic that is the same in a second run. */
  stableTraffic(dialect: Dialect, selection: Selection): Promise<Fingerprint>
  /** Traffic of a new run. */
  runAgain(dialect: Dialect, selection: Selection): Promise<Fingerprint>
}

export function createControls(engine: Engine): Controls {
  const start = (dialect: Dialect, selection: Selection) =>
    observe({ ...dialectAttempt('dialect', dialect), selection }, engine, fingerprintOf)
  const run = cached(start)
  return {
    run,
    runAgain: async (dialect, selection) => (await start(dialect, selection)).traffic,
    stableTraffic: cached(async (dialect, selection) => {
      const first = await run(dialect, selection)
      return stablePart(first.traffic, (await start(dialect, selection)).traffic)
    }),
  }
}

/** Key of the runs that two crossings share. */
export function controlKey(dialect: Dialect, { profile }: Selection): string {
  return `${dialect.name} ${profile}`
}

function cached<T>(
  make: (dialect: Dialect, selection: Selection) => Promise<T>,
): (dialect: Dialect, selection: Selection) => Promise<T> {
  const made = new Map<string, Promise<T>>()
  return (dialect, selection) => {
    const key = controlKey(dialect, selection)
    const value = made.get(key) ?? make(dialect, selection)
    made.set(key, value)
    return value
  }
}
