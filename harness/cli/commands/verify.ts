import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { printable } from '../../../reports/text/escape.ts'
import { envelopeName } from '../../certification/bundle.ts'
import type { Verification } from '../../certification/verify/verify.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { exitCode } from '../exit-codes.ts'
import { defineCommand, flag } from '../flags.ts'
import { challengeFlag, overFlag, readSource } from '../input-text.ts'
import { fitted } from '../terminal/io.ts'
import { showSteps } from '../terminal/progress.ts'
import { during } from '../terminal/status.ts'

function verifyFlags() {
  return [
    flag('--public-key <file>', 'public Ed25519 key of the signer, PEM'),
    challengeFlag(),
    overFlag('shortest time from the first round to the last'),
    flag('--json', 'print the result as JSON'),
    flag('--quiet', 'print the outcome only'),
  ]
}

const examples = `
Examples:
  $ chatgen verify bundle
  $ chatgen verify bundle --public-key vendor.pem --challenge 2026-11-7f3a9c51e02b

Nothing is sent. Without --public-key the key in the bundle is used, which shows that the bundle is
whole, and not whose it is. The envelope can be verified without chatgen: docs/certification.md

Exit codes:
  0 verified   1 not verified, with the reason   2 usage, or not a bundle   4 internal error`

/** `chatgen verify DIR`: verifies a certification bundle. */
export const verifyCommand = defineCommand({
  args: { '<dir>': 'folder of the bundle' },
  flags: verifyFlags,
  help: examples,
  async run({ flags, io }, dir: string) {
    if (!existsSync(join(dir, envelopeName))) {
      throw new ConfigurationError([
        `${dir} is not a certification bundle: it has no ${envelopeName}`,
      ])
    }
    const { verifyBundle } = await import('../../certification/verify/verify.ts')
    const { inlineEngine } = await import('../../conformance/run.ts')
    const { readPublicKey } = await import('../../certification/inputs.ts')
    const { publicKey: file, challenge, over, json = false, quiet = false } = flags
    const publicKey =
      file === undefined ? undefined : readPublicKey(readSource('--public-key', file))
    const engine = inlineEngine()
    const progress = showSteps(io, { name: 'verify', enabled: !quiet })
    const verification = await during(progress, () =>
      verifyBundle({
        dir,
        signal: io.signal,
        engine,
        onStep: progress.step,
        ...(publicKey === undefined ? {} : { publicKey }),
        ...(challenge === undefined ? {} : { challenge }),
        ...(over === undefined ? {} : { overMs: over }),
      }).finally(() => engine.close()),
    )
    io.out(json ? toJson(verification) : fitted(toText(verification, dir, quiet), io))
    return verification.verified ? exitCode.done : exitCode.violated
  },
})

function toText({ verified, steps, content }: Verification, dir: string, quiet: boolean): string {
  const [reason = ''] = steps.flatMap(({ problems }) => problems)
  const subject = content?.statement.subject[0].name ?? dir
  const outcome = verified ? `VERIFIED  ${subject}` : `NOT VERIFIED  ${subject}: ${reason}`
  if (quiet) return printable(outcome)
  const lines = steps.flatMap(({ title, problems, notes }) => [
    `  ${problems.length === 0 ? 'holds ' : 'failed'}  ${title}`,
    ...[...problems, ...notes].map((text) => `          ${text}`),
  ])
  return [outcome, ...lines].map(printable).join('\n')
}

function toJson({ verified, steps, content }: Verification): string {
  const { statement, challenge, keyId } = content ?? {}
  return JSON.stringify({ verified, steps, challenge, keyId, statement }, null, 2)
}
