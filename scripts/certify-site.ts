/** `npm run certify:site`: bundles of the reference server, dialects and the second server, and their site. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { envelopeName } from '../harness/certification/bundle.ts'
import type { Product } from '../harness/certification/product.ts'
import { profileNames } from '../harness/conformance/profile/selection.ts'
import { inlineEngine } from '../harness/conformance/vitest/engine.ts'
import { type CertifiedTarget, certifyInto } from '../harness/proof/certified/certified.ts'
import { dialectAttempt, plainAttempt, spread } from '../harness/proof/runs/attempts.ts'
import { openSecondServer } from '../harness/proof/test-support/second-server/judged.ts'
import { dialects } from '../reference-server/deviations/index.ts'

const help = `npm run certify:site -- --out DIR [options]

Certifies servers one after the other, edits a copy of the last bundle, and runs chatgen site on all of them.
Bundles that are in DIR already are kept, so that a run that was ended goes on where it was. Exits with 1 if a
server is refused, or if another bundle than the edited one does not verify.

  --out DIR        folder of bundles/ and site/
  --bundles N      number of bundles, the edited one included (default: 30)
  --profile NAME   surfaces of the dialects (default: full)`

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    bundles: { type: 'string', default: '30' },
    profile: { type: 'string', default: 'full' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help || values.out === undefined) console.log(help)
else await run(values.out)

interface Entry {
  readonly name: string
  readonly version: string
  readonly target: Omit<CertifiedTarget, 'engine'>
}

async function run(out: string): Promise<void> {
  // vitest forbids it to what runs beside its tests.
  const exit = process.exit.bind(process)
  const engine = inlineEngine()
  const bundles = join(out, 'bundles')
  mkdirSync(bundles, { recursive: true })
  let refused = 0
  const dirs: string[] = []
  for (const { name, version, target } of entries(Number(values.bundles) - 1)) {
    const dir = join(bundles, `${name}-${version}`)
    if (existsSync(join(dir, envelopeName))) {
      dirs.push(dir)
      continue
    }
    rmSync(dir, { recursive: true, force: true })
    const startedAt = Date.now()
    const product: Product = { vendor: vendorOf(name), name, version, contact: 'a@example.org' }
    const place = { challenge: `site-challenge-${name}-${version}`, outDir: dir, product }
    const { result } = await certifyInto({ ...target, engine }, place)
    const reason = result.refusals[0]?.text
    if (reason !== undefined) refused += 1
    else dirs.push(dir)
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    console.log(
      `${reason === undefined ? '  ' : '!!'} ${name} ${version}: ${reason ?? size(dir)} (${seconds} s)`,
    )
  }
  const edited = editedCopy(dirs.at(-1) ?? '', join(bundles, 'edited'))
  const chatgen = fileURLToPath(new URL('../bin/chatgen.cjs', import.meta.url))
  const args = [chatgen, 'site', ...dirs, edited, '--out', join(out, 'site'), '--quiet']
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  console.log(`${stderr}${stdout}`.trim())
  const isExpected = stdout.includes(`${dirs.length} verified bundle`)
  exit(refused > 0 || !isExpected ? 1 : 0)
}

/** The reference server in two versions, the second server, and dialects. */
function entries(count: number): readonly Entry[] {
  const surfaces = profileNames.find((name) => name === values.profile)
  if (surfaces === undefined) throw new Error(`there is no profile ${values.profile}`)
  const { open } = plainAttempt('full')
  const own: readonly Entry[] = [
    { name: 'reference', version: '1.0', target: { open, surfaces: 'full' } },
    { name: 'reference', version: '1.1', target: { open, surfaces: 'full' } },
    { name: 'second', version: '1.0', target: { open: openSecondServer, surfaces: 'full' } },
  ]
  const others = spread(dialects, count - own.length).map((dialect) => ({
    name: dialect.name,
    version: '1.0',
    target: { open: dialectAttempt('dialect', dialect).open, surfaces },
  }))
  return [...own, ...others].slice(0, count)
}

function vendorOf(name: string): string {
  return name === 'second' ? 'Second GmbH' : 'Example AG'
}

/** A copy with another badge, which does not verify. */
function editedCopy(dir: string, copy: string): string {
  cpSync(dir, copy, { recursive: true })
  writeFileSync(join(copy, 'badge.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  return copy
}

function size(dir: string): string {
  const paths = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((path) =>
    join(dir, path),
  )
  const files = paths.map((path) => statSync(path)).filter((file) => file.isFile())
  const bytes = files.reduce((sum, file) => sum + file.size, 0)
  return `certified, ${(bytes / 1e6).toFixed(2)} MB`
}
