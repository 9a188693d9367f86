import { existsSync, readdirSync } from 'node:fs'
import { count } from '../../../reports/text/format.ts'
import type { Certification } from '../../certification/certify.ts'
import { checkChallenge, readPrivateKey, readProduct, rounds } from '../../certification/inputs.ts'
import { certifiedDepth, certifiedSelection } from '../../certification/rules.ts'
import { defaultJobs, defaultMaxGenerations, lockName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import { profileNames } from '../../conformance/profile/selection.ts'
import { endDryRun, planFor } from '../check/dry-run.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { defineCommand, type FlagsOf, flagTable } from '../flags.ts'
import { makeOutFolder } from '../results/folder-lock.ts'
import { withoutSecrets } from '../results/publish-report.ts'
import { containerFlags, withContainerRow } from '../target/container-flags.ts'
import { withTarget } from '../target/target.ts'
import { endpointFlag, targetFlags } from '../target/target-flags.ts'
import { fitted, type Io } from '../terminal/io.ts'
import { showProgress } from '../terminal/progress.ts'
import { during } from '../terminal/status.ts'
import { readSource } from '../values.ts'

function certifyFlags() {
  return [
    ...flagTable('--reference  certify the bundled reference server'),
    ...endpointFlag(),
    ...targetFlags(),
    ...containerFlags(),
    ...flagTable(
      `
      --product <file>  product file: vendor, name, version, contact
      --challenge <text>  challenge issued by the certification program
      --key <file> @certify  private Ed25519 key, PEM
      --profile <name>=full @certify  surfaces to certify
      --over <time>  time between the first round and the last
      --jobs <n>=${defaultJobs}  number of concurrent scenarios
      --out <dir>=chatgen-certificate @certify  folder of the bundle, new or empty
      --dry-run  list the missing inputs, or print the number of requests, without sending any
      --json  print the result as JSON
      --quiet  print the outcome only`,
      { name: profileNames },
    ),
  ]
}

type CertifyFlags = FlagsOf<typeof certifyFlags>

const examples = `
Examples:
  $ openssl genpkey -algorithm ed25519 -out ed25519.pem
  $ chatgen certify --target staging.yaml --product product.yaml --challenge 2026-11-7f3a9c51e02b --key ed25519.pem --out bundle
  $ chatgen certify --target staging.yaml --product product.yaml --dry-run
  $ chatgen certify --image chat:1.4 --port 8080 --target profile.yaml --product product.yaml --challenge 2026-11-7f3a9c51e02b --key ed25519.pem --out bundle
  $ chatgen verify bundle --public-key vendor.pem --challenge 2026-11-7f3a9c51e02b

Runs three rounds with seeds derived from the challenge. Every required requirement must pass, or be not applicable, in
each round; warnings are listed in the certificate. Rules: docs/certification.md

Exit codes:
  0 certificate written   1 refused: a requirement is violated or unstable   2 usage or configuration
  3 target unreachable, not this service, or API key rejected   4 internal error
  5 refused: nothing violated, but a requirement is undecided   130 interrupted`

/** `chatgen certify`: a signed certification run. */
export const certifyCommand = defineCommand({
  args: { '[url]': 'base URL of the deployment, without /api' },
  flags: certifyFlags,
  help: examples,
  async run({ flags, io, command }, url: string | undefined) {
    const { quiet = false, out } = flags
    const { certify } = await import('../../certification/certify.ts')
    const { inlineEngine } = await import('../../conformance/run.ts')
    const { problems, given } = readInputs(flags)
    if (flags.dryRun) {
      io.out(await planOf(url, flags, io, [...problems, ...notEmpty(out)]))
      return endDryRun(command, io)
    }
    if (given === undefined) throw new ConfigurationError(problems)
    const { product, challenge, key } = given
    makeOutFolder(out)
    const occupied = notEmpty(out)
    if (occupied.length > 0) throw new ConfigurationError(occupied)
    const certification = await withTarget(url, flags, io, async (profile, container) => {
      const engine = inlineEngine()
      const progress = showProgress(io, !quiet)
      return during(progress, () =>
        certify({
          profile,
          product,
          challenge,
          key,
          engine,
          outDir: out,
          surfaces: flags.profile,
          jobs: flags.jobs,
          overMs: flags.over,
          signal: io.signal,
          onProgress: (state, round) =>
            progress.update({ ...state, scenario: `round ${round}: ${state.scenario}` }),
          write: (file, text) => io.write(file, text),
          complete: async (report) => withoutSecrets(await withContainerRow(report, container), io),
        }).finally(() => engine.close()),
      )
    })
    const { result } = certification
    const found = { certified: result.refusals.length === 0, bundle: out, ...result }
    io.out(
      flags.json ? JSON.stringify(found, null, 2) : fitted(outcomeText(certification, out), io),
    )
    return codeOf(certification)
  },
})

function outcomeText({ result, reports }: Certification, out: string): string {
  const { refusals, passed, warned, notApplicable, undecided } = result
  const more = refusals.length - maxListed
  if (refusals.length > 0) {
    return [
      `REFUSED  ${count(refusals.length, 'reason')} in ${reports.length} of ${rounds.length} rounds; no certificate was written`,
      ...refusals.slice(0, maxListed).map(({ text }) => `  ${text}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
      `Reports of the rounds: ${out}/rounds`,
    ].join('\n')
  }
  return [
    `CERTIFIED  ${passed.length} passed, ${notApplicable.length} not applicable in each of ${rounds.length} rounds; ${warned.length} warned, ${undecided.length} undecided in at least one`,
    ...(warned.length > 0 ? [`Warned: ${warned.join(', ')}`] : []),
    ...(undecided.length > 0 ? [`Undecided: ${undecided.join(', ')}`] : []),
    `Bundle: ${out}`,
    `Verify it: chatgen verify ${out}`,
  ].join('\n')
}

const maxListed = 20

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

/** Inputs of a bundle, with the problems of all of them. */
function readInputs(flags: CertifyFlags) {
  const problems: string[] = []
  const read = <T>(name: string, value: string | undefined, parse: (value: string) => T) => {
    try {
      if (value !== undefined) return parse(value)
      problems.push(`${name} is missing`)
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      problems.push(...error.problems)
    }
    return undefined
  }
  const product = read('--product FILE', flags.product, (file) =>
    readProduct(readSource('--product', file)),
  )
  const challenge = read('--challenge TEXT', flags.challenge, checkChallenge)
  const key = read('--key FILE', flags.key, (file) => readPrivateKey(readSource('--key', file)))
  const isComplete = product !== undefined && challenge !== undefined && key !== undefined
  return { problems, given: isComplete ? { product, challenge, key } : undefined }
}

/**
 * The cost of a round. Nothing is sent.
 * @throws ConfigurationError that names everything missing: flags, fields of the product file and the target profile
 */
async function planOf(
  url: string | undefined,
  flags: CertifyFlags,
  io: Io,
  problems: readonly string[],
): Promise<string> {
  const { profileProblems } = await import('../../certification/certify.ts')
  const selection = certifiedSelection(flags.profile)
  const limits = { depth: certifiedDepth, maxGenerations: defaultMaxGenerations } as const
  const assert = (profile: TargetProfile) => {
    const own = profileProblems(profile, flags.profile)
    if (problems.length + own.length > 0) throw new ConfigurationError(own)
  }
  const plan = await planFor(url, { ...flags, ...limits }, { selection, assert }, io).catch(
    (error) => {
      if (!(error instanceof ConfigurationError)) throw error
      throw new ConfigurationError([...problems, ...error.problems])
    },
  )
  return `Nothing is missing. Each of ${rounds.length} rounds:\n${plan}`
}

/** Names the reason if a folder cannot become a bundle: files of an earlier one would not be part of the new one. */
function notEmpty(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const refused = `--out: the folder ${folder} is not empty: choose a new or empty one`
  return readdirSync(folder).every((name) => name === lockName) ? [] : [refused]
}
