import type { ProfileName } from '../../../conformance/profile/selection.ts'
import type { Depth } from '../../../conformance/run-setup.ts'
import type { Engine } from '../../../conformance/vitest/engine.ts'
import { type GeneratedRun, runGenerated, surfaceOf } from '../../generated/attempts.ts'
import type { Healthy } from '../../generated/healthy.ts'
import { fingerprintOf, stablePart } from '../../runs/fingerprint.ts'
import { observe } from '../../runs/run-target.ts'
import { failedIds, type TargetResult } from '../../verdicts.ts'
import { openSecondServer } from './judged.ts'

/** Judges generated wire faults in front of the second server, one after the other. */
export function generatedJudge(engine: Engine) {
  const plain = new Map<string, Promise<Healthy>>()

  async function recordPlain(profile: ProfileName, depth: Depth): Promise<Healthy> {
    const run = () =>
      observe(
        {
          kind: 'clean',
          name: `clean-${profile}`,
          open: () => openSecondServer((services) => services),
          selection: { profile, only: [], skip: [] },
          depth,
        },
        engine,
        fingerprintOf,
      )
    const [first, second] = [await run(), await run()]
    return {
      stable: stablePart(first.traffic, second.traffic),
      accused: failedIds(first),
      titlesFor: () => undefined,
    }
  }

  return async (name: string, run: GeneratedRun): Promise<TargetResult> => {
    const profile = surfaceOf(run.fault)
    const key = `${profile} ${run.depth}`
    const healthy = plain.get(key) ?? recordPlain(profile, run.depth)
    plain.set(key, healthy)
    const open = () => openSecondServer(run.fault.patch)
    return runGenerated(name, run, await healthy, engine, open)
  }
}
