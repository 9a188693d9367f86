/** A process of the proof: runs the attempts that it is sent by name, one after the other. */
import { inlineEngine } from '../conformance/engine.ts'
import type { ProfileName } from '../conformance/selection.ts'
import { allAttempts, plainAttempt } from './attempts.ts'
import type { Fingerprint } from './fingerprint.ts'
import { nullAttempts } from './null-servers.ts'
import { runPlain, runTarget } from './run-target.ts'
import { stabilityGroups } from './stability.ts'

// vitest forbids it to what runs beside its tests.
const exit = process.exit.bind(process)
const engine = inlineEngine()
const attempts = new Map(
  [...[...stabilityGroups().values()].flat(), ...allAttempts(), ...nullAttempts()].map(
    (attempt) => [attempt.name, attempt],
  ),
)
const plain = new Map<ProfileName, Fingerprint>()

process.on('message', async (name) => {
  const attempt = attempts.get(String(name))
  if (!attempt) throw new Error(`there is no target ${name}`)
  process.send?.(await runTarget(attempt, await plainRun(attempt.selection.profile), engine))
})

process.on('disconnect', () => exit())

/** What the server without a deviation sends to the same scenarios. */
async function plainRun(profile: ProfileName): Promise<Fingerprint> {
  const known = plain.get(profile) ?? (await runPlain(plainAttempt(profile), engine))
  plain.set(profile, known)
  return known
}
