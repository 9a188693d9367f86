/** A process of the proof: receives attempts by name and runs them one after the other. */
import { messageOf } from '../../../contract/text.ts'
import type { Dialect } from '../../../reference-server/deviations/index.ts'
import type { ProfileName, Selection } from '../../conformance/profile/selection.ts'
import type { Depth } from '../../conformance/run-setup.ts'
import { inlineEngine } from '../../conformance/vitest/engine.ts'
import { type Crossing, crossingName, crossingNamed } from '../crossed/crossings.ts'
import {
  composedAttempt,
  generatedRunNamed,
  runGenerated,
  surfaceOf,
} from '../generated/attempts.ts'
import { recordHealthy } from '../generated/healthy.ts'
import { nullAttempts } from '../null-servers.ts'
import { failedIds, lostTarget, type RequirementVerdict, type TargetResult } from '../verdicts.ts'
import {
  allAttempts,
  controlKey,
  crossedAttempt,
  dialectAttempt,
  plainAttempt,
  stabilityGroups,
} from './attempts.ts'
import { differingPlaces, type Fingerprint, fingerprintOf, stablePart } from './fingerprint.ts'
import { observe, runTarget } from './run-target.ts'

// Saved because vitest replaces it for code that runs inside its process.
const exit = process.exit.bind(process)
const engine = inlineEngine()
const attempts = new Map(
  [...stabilityGroups().flat(), ...allAttempts(), ...nullAttempts()].map((attempt) => [
    attempt.name,
    attempt,
  ]),
)

process.on('message', async (name) => {
  process.send?.(await resultOf(String(name)))
})

process.on('disconnect', () => exit())

const keyOf = (profile: ProfileName, depth: Depth) => `${profile} ${depth}`

/** Traffic of the server without a deviation in the same scenarios. */
const plainRun = once(keyOf, async (profile, depth) => {
  return (await observe({ ...plainAttempt(profile), depth }, engine, fingerprintOf)).traffic
})

const healthyRun = once(keyOf, (profile, depth) => recordHealthy(profile, depth, engine))

const runAlone = (dialect: Dialect, selection: Selection) =>
  observe({ ...dialectAttempt('dialect', dialect), selection }, engine, fingerprintOf)

/** The run against a dialect alone, for all faults that are tried in the dialect. */
const controlRun = once(controlKey, runAlone)

/** The part of the traffic of a dialect alone that is the same in a second run. */
const stableTraffic = once(controlKey, async (dialect: Dialect, selection: Selection) => {
  const first = await controlRun(dialect, selection)
  return stablePart(first.traffic, (await runAlone(dialect, selection)).traffic)
})

/** A function whose value for a key is made when it is first asked for. */
function once<Given extends readonly unknown[], T>(
  keyOf: (...given: Given) => string,
  make: (...given: Given) => Promise<T>,
): (...given: Given) => Promise<T> {
  const made = new Map<string, Promise<T>>()
  return (...given) => {
    const key = keyOf(...given)
    const value = made.get(key) ?? make(...given)
    made.set(key, value)
    return value
  }
}

/** Returns errors as results, because nothing else would report them. */
async function resultOf(name: string): Promise<TargetResult> {
  try {
    const crossing = crossingNamed(name)
    if (crossing) return await runCrossed(crossing)
    const generated = generatedRunNamed(name)
    if (generated) {
      const healthy = await healthyRun(surfaceOf(generated.fault), generated.depth)
      return await runGenerated(name, generated, healthy, engine)
    }
    const attempt = attempts.get(name) ?? composedAttempt(name)
    if (!attempt) throw new Error(`there is no target ${name}`)
    const plain = () => plainRun(attempt.selection.profile, attempt.depth ?? 'normal')
    return await runTarget(attempt, plain, engine)
  } catch (error) {
    return lostTarget(name, messageOf(error))
  }
}

/**
 * Runs the suites against a fault in a dialect. If no requirement of the fault turns red, or another one does,
 * the dialect is also tested alone: it may hide the fault, or turn a requirement red by itself.
 */
async function runCrossed(crossing: Crossing): Promise<TargetResult> {
  const { fault, dialect } = crossing
  const declared: readonly string[] = fault.breaks
  const attempt = crossedAttempt(crossing)
  const { selection } = attempt
  const isKilled = (requirements: readonly RequirementVerdict[]) =>
    failedIds({ requirements }).some((id) => declared.includes(id))

  const { traffic, ...verdicts } = await observe(attempt, engine, (file, requirements) =>
    isKilled(requirements) ? undefined : fingerprintOf(file),
  )
  const isExact = traffic === undefined && failedIds(verdicts).every((id) => declared.includes(id))
  return {
    kind: 'crossed',
    name: crossingName(crossing),
    ...verdicts,
    applied: traffic === undefined || (await differsAgain(traffic)),
    crossed: {
      fault: fault.name,
      dialect: dialect.name,
      redAlone: isExact ? [] : failedIds(await controlRun(dialect, selection)),
    },
  }

  async function differsAgain(traffic: Fingerprint): Promise<boolean> {
    const stable = await stableTraffic(dialect, selection)
    let places = differingPlaces(stable, traffic)
    // Lists of resources that other scenarios create differ by chance, which a few runs reveal.
    for (let run = 0; run < repetitions && places.length > 0; run++) {
      const crossed = (await observe(attempt, engine, fingerprintOf)).traffic
      const again = differingPlaces(stable, crossed)
      const alone = (await runAlone(dialect, selection)).traffic
      const { digests } = stablePart(stable, alone)
      places = places.filter((place) => again.includes(place) && digests.has(place))
    }
    return places.length > 0
  }
}

const repetitions = 3
