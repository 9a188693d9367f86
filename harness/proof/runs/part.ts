/** A process of the proof: runs the attempts that it is sent by name, one after the other. */

import { messageOf } from '../../../contract/error-message.ts'
import type { ProfileName } from '../../conformance/profile/selection.ts'
import type { Depth } from '../../conformance/run-setup.ts'
import { inlineEngine } from '../../conformance/vitest/engine.ts'
import { crossingNamed } from '../crossed/crossings.ts'
import {
  composedAttempt,
  type GeneratedRun,
  generatedRunNamed,
  runGenerated,
  surfaceOf,
} from '../generated/attempts.ts'
import { type Healthy, recordHealthy } from '../generated/healthy.ts'
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
const plain = new Map<string, Promise<Fingerprint>>()
const healthy = new Map<string, Promise<Healthy>>()

process.on('message', async (name) => {
  process.send?.(await resultOf(String(name)))
})

process.on('disconnect', () => exit())

/** Traffic of the server without a deviation with the same scenarios. */
function plainRun(profile: ProfileName, depth: Depth = 'normal'): Promise<Fingerprint> {
  return once(plain, `${profile} ${depth}`, async () => {
    return (await observe({ ...plainAttempt(profile), depth }, engine, fingerprintOf)).traffic
  })
}

function healthyRun({ fault, depth }: GeneratedRun): Promise<Healthy> {
  const profile = surfaceOf(fault)
  return once(healthy, `${profile} ${depth}`, () => recordHealthy(profile, depth, engine))
}

function once<T>(made: Map<string, Promise<T>>, key: string, record: () => Promise<T>): Promise<T> {
  const recorded = made.get(key) ?? record()
  made.set(key, recorded)
  return recorded
}

/** Nobody else would hear of what is thrown here. */
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
