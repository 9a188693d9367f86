import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { slugOf } from '../../../contract/text.ts'
import { toHtml } from '../../../reports/document/html.ts'
import { siteDocument } from '../../../reports/site/document.ts'
import { type Implementation, isVerified } from '../../../reports/site/model.ts'
import { count } from '../../../reports/text/format.ts'
import { envelopeName, pageName } from '../../certification/bundle.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { exitCode } from '../exit-codes.ts'
import { defineCommand, flag } from '../flags.ts'
import { makeOutFolder } from '../results/folder-lock.ts'
import type { Io } from '../terminal/io.ts'
import { showSteps } from '../terminal/progress.ts'
import { during } from '../terminal/status.ts'

function siteFlags() {
  return [
    flag('--out <dir>', 'folder of the site', 'site').default('site'),
    flag('--quiet', 'print the outcome only'),
  ]
}

const examples = `
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
  flags: siteFlags,
  help: examples,
  async run({ flags: { out, quiet = false }, io }, dirs: readonly string[]) {
    const missing = dirs.filter((dir) => !existsSync(join(dir, envelopeName)))
    if (missing.length > 0) {
      throw new ConfigurationError(
        missing.map((dir) => `${dir} is not a certification bundle: it has no ${envelopeName}`),
      )
    }
    makeOutFolder(out)
    const progress = showSteps(io, { name: 'site', enabled: !quiet })
    const implementations: Implementation[] = []
    await during(progress, async () => {
      for (const [at, dir] of dirs.entries()) {
        progress.step(`bundle ${at + 1} of ${dirs.length}: ${dir}`)
        implementations.push(await implementationOf(dir, at, out, io))
      }
    })
    io.write(join(out, 'index.html'), toHtml(siteDocument(implementations)))
    const verified = implementations.filter(isVerified).length
    for (const { name, unverified } of implementations) {
      if (unverified !== null) io.err(`chatgen: ${name} is unverified: ${unverified}`)
    }
    io.out(
      `${count(verified, 'verified bundle')} of ${dirs.length}\nSite: ${join(out, 'index.html')}`,
    )
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
  signal.throwIfAborted()
  const page = lastRound?.pages.get(pageName)
  if (content === undefined || lastRound === undefined || page === undefined) {
    const reason = steps.flatMap(({ problems }) => problems)[0] ?? 'it cannot be read'
    return {
      slug: `${at + 1}`,
      vendor: '',
      name: dir,
      version: '',
      startedAt: '',
      unverified: reason,
      report: null,
      page: null,
    }
  }
  const { vendor, name, version } = content.product
  const slug = `${at + 1}-${slugOf(`${vendor} ${name} ${version}`).slice(0, 60)}`
  makeFolder(join(out, slug))
  write(join(out, slug, pageName), page)
  return {
    slug,
    vendor,
    name,
    version,
    startedAt: lastRound.report.startedAt,
    unverified: null,
    report: lastRound.report,
    page: `${slug}/${pageName}`,
  }
}
