/** A process of the proof: receives attempts by name and runs them one after the other. */
import { messageOf } from '../../../contract/text.ts'
import type { ProfileName } from '../../conformance/profile/selection.ts'
import type { Depth } from '../../conformance/run-setup.ts'
import { type Engine, inlineEngine } from '../../conformance/vitest/engine.ts'
import { type Crossing, crossingName, crossingNamed } from '../crossed/crossings.ts'
import {
  composedAttempt,
  type GeneratedRun,
  generatedRunNamed,
  runGenerated,
  surfaceOf,
} from '../generated/attempts.ts'
import { type Healthy, recordHealthy } from '../generated/healthy.ts'
import { nullAttempts } from '../null-servers.ts'
import { failedIds, lostTarget, type RequirementVerdict, type TargetResult } from '../verdicts.ts'
import {
  allAttempts,
  type Controls,
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
const plain = new Map<string, Promise<Fingerprint>>()
const healthy = new Map<string, Promise<Healthy>>()

process.on('message', async (name) => {
  process.send?.(await resultOf(String(name)))
})

process.on('disconnect', () => exit())

/** Traffic of the server without a deviation in the same scenarios. */
function plainRun(profile: ProfileName, depth: Depth = 'normal'): Promise<Fingerprint> {
  return once(plain, `${profile} ${depth}`, async () => {
    return (await observe({ ...plainAttempt(profile), depth }, engine, fingerprintOf)).traffic
  })
}

function healthyRun({ fault, depth }: GeneratedRun): Promise<Healthy> {
  const profile = surfaceOf(fault)
  return once(healthy, `${profile} ${depth}`, () => recordHealthy(profile, depth, engine))
}

/** Returns errors as results, because nothing else would report them. */
async function resultOf(name: string): Promise<TargetResult> {
  try {
    const crossing = crossingNamed(name)
    if (crossing) return await runCrossed(crossing, engine, controls)
    const generated = generatedRunNamed(name)
    if (generated) {
      return await runGenerated(name, generated, await healthyRun(generated), engine)
    }
    const attempt = attempts.get(name) ?? composedAttempt(name)
    if (!attempt) throw new Error(`there is no target ${name}`)
    return await runTarget(
      attempt,
      await plainRun(attempt.selection.profile, attempt.depth),
      engine,
    )
  } catch (error) {
    return lostTarget(name, messageOf(error))
  }
}

/**
 * Runs the suites against a fault in a dialect. If no requirement of the fault turns red, or another one does,
 * the dialect is also tested alone: it may hide the fault, or turn a requirement red by itself.
 */
export async function runCrossed(
  crossing: Crossing,
  engine: Engine,
  controls: Controls,
): Promise<TargetResult> {
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
  const runs: Runs = {
    plain: () => controls.runAgain(dialect, selection),
    crossed: async () => (await observe(attempt, engine, fingerprintOf)).traffic,
  }
  const isHidden =
    traffic !== undefined &&
    !(await differsAgain(await controls.stableTraffic(dialect, selection), traffic, runs))
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

interface Runs {
  readonly plain: () => Promise<Fingerprint>
  readonly crossed: () => Promise<Fingerprint>
}

const repetitions = 3

/**
 * Tests if the same answers differ in every repetition. Lists of resources that other scenarios create differ
 * by chance, which a few runs reveal.
 */
async function differsAgain(
  stable: Fingerprint,
  traffic: Fingerprint,
  { plain, crossed }: Runs,
): Promise<boolean> {
  let places = differingPlaces(stable, traffic)
  for (let run = 0; run < repetitions && places.length > 0; run++) {
    const again = differingPlaces(stable, await crossed())
    const { digests } = stablePart(stable, await plain())
    places = places.filter((place) => again.includes(place) && digests.has(place))
  }
  return places.length > 0
}
