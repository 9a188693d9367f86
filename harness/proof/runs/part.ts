/** A process of the proof: receives attempts by name and runs them one after the other. */
import { messageOf } from '../../../contract/text.ts'
import type { ProfileName } from '../../conformance/profile/selection.ts'
import type { Depth } from '../../conformance/run-setup.ts'
import { inlineEngine } from '../../conformance/vitest/engine.ts'
import { composedAttempt, generatedRunNamed, runGenerated } from '../generated/attempts.ts'
import { recordHealthy, referenceTarget } from '../generated/healthy.ts'
import { nullAttempts } from '../null-servers.ts'
import { lostTarget, type TargetResult } from '../verdicts.ts'
import { allAttempts, plainAttempt, stabilityGroups } from './attempts.ts'
import { fingerprintOf } from './fingerprint.ts'
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

/** Traffic of the server without a deviation in the same scenarios. */
const plainRun = once(async (profile, depth) => {
  return (await observe({ ...plainAttempt(profile), depth }, engine, fingerprintOf)).traffic
})

const healthyRun = once((_, depth) => recordHealthy(depth, engine, referenceTarget))

/** A function whose value for a profile and a depth is made when it is first asked for. */
function once<T>(
  make: (profile: ProfileName, depth: Depth) => Promise<T>,
): (profile: ProfileName, depth: Depth) => Promise<T> {
  const made = new Map<string, Promise<T>>()
  return (profile, depth) => {
    const key = `${profile} ${depth}`
    const value = made.get(key) ?? make(profile, depth)
    made.set(key, value)
    return value
  }
}

/** Returns errors as results, because nothing else would report them. */
async function resultOf(name: string): Promise<TargetResult> {
  try {
    const generated = generatedRunNamed(name)
    if (generated) {
      const healthy = await healthyRun('full', generated.depth)
      return await runGenerated(name, generated, healthy, engine, referenceTarget)
    }
    const attempt = attempts.get(name) ?? composedAttempt(name)
    if (!attempt) throw new Error(`there is no target ${name}`)
    const plain = () => plainRun(attempt.selection.profile, attempt.depth ?? 'normal')
    return await runTarget(attempt, plain, engine)
  } catch (error) {
    return lostTarget(name, messageOf(error))
  }
}
