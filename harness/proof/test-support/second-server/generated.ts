import type { Patch } from '../../../../reference-server/services.ts'
import type { ProfileName } from '../../../conformance/profile/selection.ts'
import type { Depth } from '../../../conformance/run-setup.ts'
import type { Engine } from '../../../conformance/vitest/engine.ts'
import { type GeneratedRun, surfaceOf } from '../../generated/attempts.ts'
import {
  differingPlaces,
  type Fingerprint,
  fingerprintOf,
  stablePart,
} from '../../runs/fingerprint.ts'
import {
  failedIds,
  type RequirementVerdict,
  type TargetResult,
  verdictsOf,
} from '../../verdicts.ts'
import { judgeSecondServer } from './judged.ts'

interface Run {
  readonly requirements: readonly RequirementVerdict[]
  readonly traffic: Fingerprint
}

/** Judges generated wire faults in front of the second server, one after the other. */
export function generatedJudge(engine: Engine) {
  const plain = new Map<string, Promise<Run>>()

  async function run(profile: ProfileName, depth: Depth, front: Patch): Promise<Run> {
    const traffic: Fingerprint[] = []
    const read = (file: string) => void traffic.push(fingerprintOf(file))
    const report = await judgeSecondServer({}, { engine, profile, depth, front, read })
    const [exchanges] = traffic
    if (exchanges === undefined) throw new Error('a run without exchanges')
    return { requirements: verdictsOf(report), traffic: exchanges }
  }

  async function recordPlain(profile: ProfileName, depth: Depth): Promise<Run> {
    const runs = [
      await run(profile, depth, unchanged),
      await run(profile, depth, unchanged),
    ] as const
    return {
      requirements: runs[0].requirements,
      traffic: stablePart(runs[0].traffic, runs[1].traffic),
    }
  }

  return async (name: string, { fault, depth }: GeneratedRun): Promise<TargetResult> => {
    const started = Date.now()
    const profile = surfaceOf(fault)
    const key = `${profile} ${depth}`
    const healthy = plain.get(key) ?? recordPlain(profile, depth)
    plain.set(key, healthy)
    const alone = await healthy
    const { requirements, traffic } = await run(profile, depth, fault.patch)
    const accused = failedIds(alone)
    const own = requirements.filter(({ id }) => !accused.includes(id))
    const isRed = failedIds({ requirements: own }).length > 0
    const places = differingPlaces(alone.traffic, traffic)
    const isDoubtful = !isRed && fault.reached() > 0 && places.length > 0
    const again = isDoubtful ? (await run(profile, depth, fault.patch)).traffic : traffic
    const repeated = differingPlaces(alone.traffic, again).some((place) => places.includes(place))
    return {
      ...{ kind: 'generated', name, outcome: 'conforms', requirements: own, internalErrors: [] },
      ...{ applied: isRed || repeated, reached: fault.reached() },
      durationMs: Date.now() - started,
    }
  }
}

const unchanged: Patch = (services) => services
