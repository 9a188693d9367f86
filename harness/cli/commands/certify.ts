import { existsSync, readdirSync } from 'node:fs'
import type { Certification } from '../../certification/certify.ts'
import { rounds } from '../../certification/challenge.ts'
import { defaultJobs, lockName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { type ProfileName, profileNames } from '../../conformance/profile/selection.ts'
import type { AddCommand } from '../command.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { addFlags, flag, positiveInteger } from '../flags.ts'
import { challengeFlag, overFlag, readSource } from '../input-text.ts'
import { makeOutFolder } from '../results/folder-lock.ts'
import { withoutSecrets } from '../results/safe-text.ts'
import { addContainerFlags, withContainerRow } from '../target/container-flags.ts'
import { type TargetFlags, withTarget } from '../target/target.ts'
import { addTargetFlags } from '../target/target-flags.ts'
import { fitted } from '../terminal/io.ts'
import { showProgress } from '../terminal/progress.ts'

interface CertifyFlags extends TargetFlags {
  readonly product?: string
  readonly challenge?: string
  readonly key?: string
  readonly out: string
  readonly over?: number
  readonly profile: ProfileName
  readonly jobs: number
  readonly quiet?: boolean
}

const examples = `
Examples:
  $ openssl genpkey -algorithm ed25519 -out ed25519.pem
  $ chatgen certify --target staging.yaml --product product.yaml --challenge 2026-11-7f3a9c51e02b --key ed25519.pem --out bundle
  $ chatgen certify --image chat:1.4 --port 8080 --target profile.yaml --product product.yaml --challenge 2026-11-7f3a9c51e02b --key ed25519.pem --out bundle
  $ chatgen verify bundle --public-key vendor.pem --challenge 2026-11-7f3a9c51e02b

Three rounds with seeds from the challenge. Every required requirement must pass, or be not applicable, in
each round; warnings are listed in the certificate. Rules: docs/certification.md

Exit codes:
  0 certificate written   1 refused: a requirement is violated or unstable   2 usage or configuration
  3 target unreachable, not this service, or API key rejected   4 internal error
  5 refused: nothing violated, but a requirement is undecided   130 interrupted`

/** `chatgen certify`: a signed certification run. */
export const certifyCommand: AddCommand = (program, io, finish) => {
  const command = program
    .command('certify')
    .argument('[url]', 'base URL of the deployment, without /api')
    .addOption(flag('--reference', 'certify the bundled reference server'))
  addFlags(
    addContainerFlags(addTargetFlags(command)),
    flag('--product <file>', 'product file: vendor, name, version, contact'),
    challengeFlag(),
    flag('--key <file>', 'private Ed25519 key, PEM', 'certify'),
    flag('--profile <name>', 'surfaces to certify', 'certify')
      .choices(profileNames)
      .default('full'),
    overFlag('time from the first round to the last'),
    flag('--jobs <n>', 'number of concurrent scenarios')
      .argParser(positiveInteger)
      .default(defaultJobs),
    flag('--out <dir>', 'folder of the bundle, new or empty', 'certify').default(
      'chatgen-certificate',
    ),
    flag('--quiet', 'print the outcome only'),
  )
    .addHelpText('after', examples)
    .action(async (url: string | undefined, flags: CertifyFlags) => {
      const { quiet = false, out } = flags
      const { readProduct } = await import('../../certification/product.ts')
      const { checkChallenge } = await import('../../certification/challenge.ts')
      const { readPrivateKey } = await import('../../certification/keys.ts')
      const { certify } = await import('../../certification/certify.ts')
      const { inlineEngine } = await import('../../conformance/run.ts')
      const given = required(flags)
      const product = readProduct(readSource('--product', given.product))
      const challenge = checkChallenge(given.challenge)
      const key = readPrivateKey(readSource('--key', given.key))
      makeOutFolder(out)
      assertEmpty(out)
      const certification = await withTarget(url, flags, io, async (profile, container) => {
        const engine = inlineEngine()
        const progress = showProgress(io, !quiet)
        try {
          return await certify({
            profile,
            product,
            challenge,
            key,
            engine,
            outDir: out,
            surfaces: flags.profile,
            jobs: flags.jobs,
            ...(flags.over === undefined ? {} : { overMs: flags.over }),
            signal: io.signal,
            onProgress: (state, round) =>
              progress.update({ ...state, scenario: `round ${round}: ${state.scenario}` }),
            write: (file, text) => io.write(file, text),
            complete: async (report) =>
              withoutSecrets(await withContainerRow(report, container), io),
          })
        } finally {
          await engine.close()
          progress.stop()
        }
      })
      io.out(fitted(outcomeText(certification, out), io))
      finish(codeOf(certification))
    })
}

function outcomeText({ result, reports }: Certification, out: string): string {
  const { refusals, passed, warned, notApplicable } = result
  if (refusals.length > 0) {
    const maxListed = 20
    const more = refusals.length - maxListed
    return [
      `REFUSED  ${refusals.length === 1 ? '1 reason' : `${refusals.length} reasons`} in ${reports.length} of ${rounds.length} rounds; no certificate was written`,
      ...refusals.slice(0, maxListed).map(({ text }) => `  ${text}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
      `Reports of the rounds: ${out}/rounds`,
    ].join('\n')
  }
  return [
    `CERTIFIED  ${passed.length} passed, ${warned.length} warned, ${notApplicable.length} not applicable in each of ${rounds.length} rounds`,
    `Bundle: ${out}`,
    `Verify it: chatgen verify ${out}`,
  ].join('\n')
}

function codeOf({ result, reports }: Certification): ExitCode {
  if (reports.some(({ interrupted }) => interrupted)) return exitCode.interrupted
  if (result.refusals.length === 0) return exitCode.done
  if (result.refusals.some(({ kind }) => kind === 'violated' || kind === 'unstable')) {
    return exitCode.violated
  }
  return reports.some(({ faults }) => faults.length > 0)
    ? exitCode.internalError
    : exitCode.incomplete
}

function required({ product, challenge, key }: CertifyFlags) {
  if (product !== undefined && challenge !== undefined && key !== undefined) {
    return { product, challenge, key }
  }
  const flags = { '--product FILE': product, '--challenge TEXT': challenge, '--key FILE': key }
  const missing = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [name] : [],
  )
  throw new ConfigurationError([`a certification needs ${missing.join(', ')}`])
}

/** A bundle is written as a whole: files of an earlier one would not be part of it. */
function assertEmpty(folder: string): void {
  if (!existsSync(folder)) return
  if (readdirSync(folder).every((name) => name === lockName)) return
  throw new ConfigurationError([
    `--out: the folder ${folder} is not empty; a bundle needs a new folder`,
  ])
}
