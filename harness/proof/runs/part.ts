/** A process of the proof: receives attempts by name and runs them one after the other. */
import { messageOf } from '../../../contract/text.ts'
import type { ProfileName } from '../../conformance/profile/selection.ts'
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
  createControls,
  crossedAttempt,
  once,
  plainAttempt,
  stabilityGroups,
} from './attempts.ts'
import { differingPlaces, type Fingerprint, fingerprintOf, stablePart } from './fingerprint.ts'
import { observe, runTarget } from './run-target.ts'

// Saved because vitest replaces it for code that runs inside its process.
const exit = process.exit.bind(process)
const engine = inlineEngine()
const controls = createControls(engine)
const attempts = new Map(
  [...[...stabilityGroups().values()].flat(), ...allAttempts(), ...nullAttempts()].map(
    (attempt) => [attempt.name, attempt],
  ),
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
    const plain = await plainRun(attempt.selection.profile, attempt.depth ?? 'normal')
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
  const isKilled = (requirements: readonly RequirementVerdict[]) =>
    failedIds({ requirements }).some((id) => declared.includes(id))

  const { traffic, ...verdicts } = await observe(attempt, engine, (file, requirements) =>
    isKilled(requirements) ? undefined : fingerprintOf(file),
  )
  const isExact =
    isKilled(verdicts.requirements) && failedIds(verdicts).every((id) => declared.includes(id))
  const { selection } = attempt
  const differsAgain = async (traffic: Fingerprint) => {
    const stable = await controls.stableTraffic(dialect, selection)
    let places = differingPlaces(stable, traffic)
    // Lists of resources that other scenarios create differ by chance, which a few runs reveal.
    for (let run = 0; run < repetitions && places.length > 0; run++) {
      const crossed = (await observe(attempt, engine, fingerprintOf)).traffic
      const again = differingPlaces(stable, crossed)
      const { digests } = stablePart(stable, await controls.runAgain(dialect, selection))
      places = places.filter((place) => again.includes(place) && digests.has(place))
    }
    return places.length > 0
  }
  const isHidden = traffic !== undefined && !(await differsAgain(traffic))
  return {
    kind: 'crossed',
    name: crossingName(crossing),
    ...verdicts,
    applied: !isHidden,
    crossed: {
      fault: fault.name,
      dialect: dialect.name,
      redAlone: isExact ? [] : failedIds(await controls.run(dialect, selection)),
    },
  }
}

const repetitions = 3
