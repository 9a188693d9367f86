/** A process of the proof: runs the attempts that it is sent by name, one after the other. */

import { messageOf } from '../../../contract/error-message.ts'
import type { ProfileName } from '../../conformance/profile/selection.ts'
import type { Depth } from '../../conformance/run-setup.ts'
import { inlineEngine } from '../../conformance/vitest/engine.ts'
import { crossingNamed } from '../crossed/crossings.ts'
import { generatedRunNamed, runGenerated, surfaceOf } from '../generated/attempts.ts'
import { nullAttempts } from '../null-servers.ts'
import { lostTarget, type TargetResult } from '../verdicts.ts'
import { allAttempts, plainAttempt } from './attempts.ts'
import { createControls } from './controls.ts'
import { type Fingerprint, fingerprintOf } from './fingerprint.ts'
import { runCrossed } from './run-crossed.ts'
import { observe, runTarget } from './run-target.ts'
import { stabilityGroups } from './stability.ts'

// vitest forbids it to what runs beside its tests.
const exit = process.exit.bind(process)
const engine = inlineEngine()
const controls = createControls(engine)
const attempts = new Map(
  [...[...stabilityGroups().values()].flat(), ...allAttempts(), ...nullAttempts()].map(
    (attempt) => [attempt.name, attempt],
  ),
)
const plain = new Map<string, Fingerprint>()

process.on('message', async (name) => {
  process.send?.(await resultOf(String(name)))
})

process.on('disconnect', () => exit())

/** Records the server without a deviation with the same scenarios. */
async function plainRun(profile: ProfileName, depth: Depth = 'normal'): Promise<Fingerprint> {
  const cached = plain.get(`${profile} ${depth}`)
  if (cached !== undefined) return cached
  const { traffic } = await observe({ ...plainAttempt(profile), depth }, engine, fingerprintOf)
  plain.set(`${profile} ${depth}`, traffic)
  return traffic
}

/** Nobody else would hear of what is thrown here. */
async function resultOf(name: string): Promise<TargetResult> {
  try {
    const crossing = crossingNamed(name)
    if (crossing) return await runCrossed(crossing, engine, controls)
    const generated = generatedRunNamed(name)
    if (generated) {
      const healthy = await plainRun(surfaceOf(generated.fault), generated.depth)
      return await runGenerated(name, generated, healthy, engine)
    }
    const attempt = attempts.get(name)
    if (!attempt) throw new Error(`there is no target ${name}`)
    return await runTarget(attempt, await plainRun(attempt.selection.profile), engine)
  } catch (error) {
    return lostTarget(name, messageOf(error))
  }
}
