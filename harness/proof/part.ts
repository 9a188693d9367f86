/** A process of the proof: runs the attempts that it is sent by name, one after the other. */
import { allAttempts, plainAttempt } from './attempts.ts'
import type { Fingerprint } from './fingerprint.ts'
import { nullAttempts } from './null-servers.ts'
import { runTarget } from './run-target.ts'

const attempts = new Map(
  [...allAttempts(), ...nullAttempts()].map((attempt) => [attempt.name, attempt]),
)
let plain: Promise<Fingerprint> | undefined

process.on('message', async (name) => {
  const attempt = attempts.get(String(name))
  if (!attempt) throw new Error(`there is no target ${name}`)
  plain ??= runTarget(plainAttempt('full'), undefined).then(({ fingerprint }) => fingerprint)
  const { result } = await runTarget(attempt, await plain)
  process.send?.(result)
})

process.on('disconnect', () => process.exit())
