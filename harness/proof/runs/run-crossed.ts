import type { Engine } from '../../conformance/vitest/engine.ts'
import { type Crossing, crossingName } from '../crossed/crossings.ts'
import { type RowResult, redRows, type TargetResult } from '../verdicts.ts'
import { crossedAttempt } from './attempts.ts'
import type { Controls } from './controls.ts'
import { differingPlaces, type Fingerprint, fingerprintOf, stablePart } from './fingerprint.ts'
import { observe } from './run-target.ts'

/**
 * Runs the suites against a fault in a dialect. Where no row of the fault turns red, or another one
 * does, the dialect alone is asked as well: the fault may not show in it, and the dialect may turn a row
 * red by itself.
 */
export async function runCrossed(
  crossing: Crossing,
  engine: Engine,
  controls: Controls,
): Promise<TargetResult> {
  const { fault, dialect } = crossing
  const declared: readonly string[] = fault.breaks
  const attempt = crossedAttempt(crossing)
  const isKilled = (rows: readonly RowResult[]) =>
    redRows({ rows }).some((id) => declared.includes(id))

  const { traffic, ...verdicts } = await observe(attempt, engine, (file, rows) =>
    isKilled(rows) ? undefined : fingerprintOf(file),
  )
  const isExact = isKilled(verdicts.rows) && redRows(verdicts).every((id) => declared.includes(id))
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
      redAlone: isExact ? [] : redRows(await controls.run(dialect, selection)),
    },
  }
}

interface Runs {
  readonly plain: () => Promise<Fingerprint>
  readonly crossed: () => Promise<Fingerprint>
}

const repetitions = 3

/**
 * Tests if the same answers differ each time. A list of what other scenarios create differs by chance, and
 * a few runs show that.
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
