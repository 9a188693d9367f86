/** A process of the proof: runs the attempts that it is sent by name, one after the other. */
import type { ProfileName } from '../conformance/selection.ts'
import { allAttempts, plainAttempt } from './attempts.ts'
import type { Fingerprint } from './fingerprint.ts'
import { nullAttempts } from './null-servers.ts'
import { runTarget } from './run-target.ts'

const attempts = new Map(
  [...allAttempts(), ...nullAttempts()].map((attempt) => [attempt.name, attempt]),
)
const plain = new Map<ProfileName, Promise<Fingerprint>>()

process.on('message', async (name) => {
  const attempt = attempts.get(String(name))
  if (!attempt) throw new Error(`there is no target ${name}`)
  const { result } = await runTarget(attempt, await plainRun(attempt.selection.profile))
  process.send?.(result)
})

process.on('disconnect', () => process.exit())

/** What the server without a deviation sends to the same scenarios. */
function plainRun(profile: ProfileName): Promise<Fingerprint> {
  const known = plain.get(profile)
  if (known) return known
  const run = runTarget(plainAttempt(profile), undefined).then(({ fingerprint }) => fingerprint)
  plain.set(profile, run)
  return run
}
