import type { Engine } from '../../conformance/vitest/engine.ts'
import { type Crossing, crossingName } from '../crossed/crossings.ts'
import { type RowResult, redRows, type TargetResult } from '../verdicts.ts'
import { crossedAttempt, dialectAttempt } from './attempts.ts'
import { contentDiffers, fingerprintOf, stablePart } from './fingerprint.ts'
import { observe } from './run-target.ts'

/**
 * Runs the suites against a fault in a dialect. Where no row of the fault turns red, or another one
 * does, they run against the dialect alone as well: the fault may not show in it, and the dialect may
 * turn a row red by itself.
 */
export async function runCrossed(crossing: Crossing, engine: Engine): Promise<TargetResult> {
  const { fault, dialect } = crossing
  const declared: readonly string[] = fault.breaks
  const attempt = crossedAttempt(crossing)
  const isKilled = (rows: readonly RowResult[]) =>
    redRows({ rows }).some((id) => declared.includes(id))

  const { traffic, ...seen } = await observe(attempt, engine, (file, rows) =>
    isKilled(rows) ? undefined : fingerprintOf(file),
  )
  const isExact = isKilled(seen.rows) && redRows(seen).every((id) => declared.includes(id))
  const control = { ...dialectAttempt('dialect', dialect), selection: attempt.selection }
  const runAlone = () => observe(control, engine, fingerprintOf)
  const alone = isExact ? undefined : await runAlone()
  const isHidden =
    alone !== undefined &&
    traffic !== undefined &&
    !contentDiffers(stablePart(alone.traffic, (await runAlone()).traffic), traffic)
  return {
    kind: 'crossed',
    name: crossingName(crossing),
    ...seen,
    applied: !isHidden,
    crossed: {
      fault: fault.name,
      dialect: dialect.name,
      redAlone: alone === undefined ? [] : redRows(alone),
    },
  }
}
