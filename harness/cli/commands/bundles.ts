import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { slugOf } from '../../../contract/text.ts'
import { toHtml } from '../../../reports/document/html.ts'
import { type Implementation, isVerified, siteDocument } from '../../../reports/site/document.ts'
import { printable } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import { envelopeName, pageName } from '../../certification/bundle.ts'
import type { Verification } from '../../certification/verify/verify.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { exitCode } from '../exit-codes.ts'
import { defineCommand, flagTable } from '../flags.ts'
import { makeOutFolder } from '../results/folder-lock.ts'
import { fitted, type Io } from '../terminal/io.ts'
import { showSteps } from '../terminal/progress.ts'
import { during } from '../terminal/status.ts'
import { readSource } from '../values.ts'

const verifyExamples = `
Examples:
  $ chatgen verify bundle
  $ chatgen verify bundle --public-key vendor.pem --challenge 2026-11-7f3a9c51e02b

Nothing is sent. Without --public-key the key in the bundle is used, which shows that the bundle is
intact, but not who signed it. The envelope can be verified without chatgen: docs/certification.md

Exit codes:
  0 verified   1 not verified, with the reason   2 usage, or not a bundle   4 internal error
  130 interrupted`

/** `chatgen verify DIR`: verifies a certification bundle. */
export const verifyCommand = defineCommand({
  args: { '<dir>': 'folder of the bundle' },
  flags: () =>
    flagTable(`
      --public-key <file>  public Ed25519 key of the signer, PEM
      --challenge <text>  challenge issued by the certification program
      --over <time>  minimum time between the first round and the last
      --json  print the result as JSON
      --quiet  print the outcome only`),
  help: verifyExamples,
  async run({ flags, io }, dir: string) {
    requireBundles([dir])
    const { verifyBundle } = await import('../../certification/verify/verify.ts')
    const { readPublicKey } = await import('../../certification/inputs.ts')
    const { publicKey: file, challenge, over, json = false, quiet = false } = flags
    const publicKey = file ? readPublicKey(readSource('--public-key', file)) : undefined
    const progress = showSteps(io, { name: 'verify', enabled: !quiet })
    const verification = await during(progress, () =>
      verifyBundle({
        dir,
        signal: io.signal,
        onStep: progress.step,
        ...{ publicKey, challenge, overMs: over },
      }),
    )
    const { verified, steps, content } = verification
    const { statement, challenge: answered, keyId } = content ?? {}
    const found = { verified, steps, challenge: answered, keyId, statement }
    io.out(json ? JSON.stringify(found, null, 2) : fitted(toText(verification, dir, quiet), io))
    return verified ? exitCode.done : exitCode.violated
  },
})

/** @throws ConfigurationError that names each folder without a bundle */
function requireBundles(dirs: readonly string[]): void {
  const missing = dirs.filter((dir) => !existsSync(join(dir, envelopeName)))
  if (missing.length === 0) return
  throw new ConfigurationError(
    missing.map((dir) => `${dir} is not a certification bundle: it has no ${envelopeName}`),
  )
}

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

const siteExamples = `
Examples:
  $ chatgen site bundles/* --out site
  $ chatgen site example-1.0 example-1.1 other-2.3 --out site

Every bundle is verified first. One that does not verify is listed as unverified, with the reason and
without verdicts. The site is static and fetches nothing.

Exit codes:
  0 written   1 no bundle verifies   2 usage, or not a bundle   4 internal error   130 interrupted`

/** `chatgen site DIR…`: a static comparison of certified implementations. */
export const siteCommand = defineCommand({
  args: { '<dir...>': 'folders of certification bundles' },
  flags: () =>
    flagTable(`
      --out <dir>=site @site  folder of the site
      --json  print the list of implementations as JSON
      --quiet  print the outcome only`),
  help: siteExamples,
  async run({ flags: { out, json, quiet = false }, io }, dirs: readonly string[]) {
    requireBundles(dirs)
    makeOutFolder(out)
    const progress = showSteps(io, { name: 'site', enabled: !quiet })
    const implementations: Implementation[] = []
    await during(progress, async () => {
      for (const [at, dir] of dirs.entries()) {
        progress.step(`bundle ${at + 1} of ${dirs.length}: ${dir}`)
        implementations.push(await implementationOf(dir, at, out, io))
      }
    })
    const page = join(out, 'index.html')
    io.write(page, toHtml(siteDocument(implementations)))
    const verified = implementations.filter(isVerified).length
    for (const { name, unverified } of implementations) {
      if (unverified !== null) io.err(`chatgen: ${name} is unverified: ${unverified}`)
    }
    const found = implementations.map(({ report: _, ...one }) => one)
    const text = `${count(verified, 'verified bundle')} of ${dirs.length}\nSite: ${page}`
    io.out(json ? JSON.stringify({ page, implementations: found }, null, 2) : text)
    return verified === 0 ? exitCode.violated : exitCode.done
  },
})

/** Verifies a bundle and writes its page, as rendered by this version, into its own folder. */
async function implementationOf(
  dir: string,
  at: number,
  out: string,
  { signal, write }: Pick<Io, 'signal' | 'write'>,
): Promise<Implementation> {
  const { verifyBundle } = await import('../../certification/verify/verify.ts')
  const { steps, content, lastRound } = await verifyBundle({ dir, signal })
  const page = lastRound?.pages.get(pageName)
  if (content === undefined || lastRound === undefined || page === undefined) {
    const reason = steps.flatMap(({ problems }) => problems)[0] ?? 'it cannot be read'
    const none = { report: null, page: null, keyId: null }
    return { ...none, vendor: '', name: dir, version: '', startedAt: '', unverified: reason }
  }
  const { vendor, name, version } = content.product
  const { report } = lastRound
  const slug = `${at + 1}-${slugOf(`${vendor} ${name} ${version}`).slice(0, 60)}`
  makeFolder(join(out, slug))
  write(join(out, slug, pageName), page)
  const result = { startedAt: report.startedAt, unverified: null, report, keyId: content.keyId }
  return { ...result, vendor, name, version, page: `${slug}/${pageName}` }
}
