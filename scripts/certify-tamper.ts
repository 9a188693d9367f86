/** `npm run certify:tamper`: edits of a valid bundle, none of which may verify, and repackagings, which must. */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readPrivateKey } from '../harness/certification/keys.ts'
import {
  type Draw,
  type Edit,
  edits,
  editsOfResponses,
  editsOfSigner,
  repackagings,
} from '../harness/certification/test-support/edits.ts'
import { signAgain } from '../harness/certification/test-support/sign-again.ts'
import { verifyBundle } from '../harness/certification/verify/verify.ts'
import { createRandomPicker } from '../harness/conformance/session/identities.ts'

const help = `npm run certify:tamper -- [options]

Certifies the reference server and verifies edited copies of the bundle. Exits with 1 if an edited copy
verifies, or a repackaged one does not.

  --bundle DIR --key FILE   an own bundle and the private key that signed it
  --profile NAME            surfaces of the bundle that is made (default: openai)
  --edits N                 single edits without the key (default: 10000)
  --signed N                edits that are signed again with the key (default: 100)
  --responses N             edits of responses that are signed again; those that keep the contract cannot be
                            found, so that the number found is a figure and no verdict (default: 0)
  --repackaged N            harmless repackagings (default: 200)
  --seed TEXT`

const { values } = parseArgs({
  options: {
    bundle: { type: 'string' },
    key: { type: 'string' },
    profile: { type: 'string', default: 'openai' },
    edits: { type: 'string', default: '10000' },
    signed: { type: 'string', default: '100' },
    responses: { type: 'string', default: '0' },
    repackaged: { type: 'string', default: '200' },
    seed: { type: 'string', default: 'tamper' },
    help: { type: 'boolean', default: false },
  },
})

const progressMs = 10_000

if (values.help) console.log(help)
else await run()

async function run(): Promise<void> {
  // vitest forbids it to what runs beside its tests.
  const exit = process.exit.bind(process)
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-tamper-'))
  const { bundle, key } = ownBundle() ?? madeBundle(folder)
  const copy = join(folder, 'copy')
  const startedAt = performance.now()
  const wrong = [
    ...(await series('edits', edits, Number(values.edits), false)),
    ...(await series('repackagings', repackagings, Number(values.repackaged), true)),
    ...(await series('edits by the signer', editsOfSigner, Number(values.signed), false, key)),
    ...(await series('edits of responses', editsOfResponses, Number(values.responses), null, key)),
  ]
  console.log(wrong.join('\n') || 'none wrong')
  console.log(`${Math.round((performance.now() - startedAt) / 1000)} s`)
  rmSync(folder, { recursive: true, force: true })
  exit(wrong.length > 0 ? 1 : 0)

  async function series(
    title: string,
    kinds: Readonly<Record<string, Edit>>,
    count: number,
    isValid: boolean | null,
    signer?: ReturnType<typeof readPrivateKey>,
  ): Promise<string[]> {
    const problems: string[] = []
    const steps = new Map<string, number>()
    const stepsByName = new Map<string, number>()
    const names = Object.keys(kinds)
    let reportedAt = performance.now()
    for (let done = 0, tries = 0; done < count; tries += 1) {
      const draw: Draw = createRandomPicker(`${values.seed}/${title}/${tries}`)
      const name = names[tries % names.length] ?? ''
      rmSync(copy, { recursive: true, force: true })
      cpSync(bundle, copy, { recursive: true })
      if (!kinds[name]?.(copy, draw)) continue
      if (signer !== undefined) signAgain(copy, signer)
      const found = await verifyBundle({ dir: copy })
      done += 1
      if (performance.now() - reportedAt > progressMs) {
        reportedAt = performance.now()
        console.error(`${title}: ${done} of ${count}`)
      }
      const step = found.verified ? 'verified' : (found.steps.at(-1)?.title ?? '')
      steps.set(step, (steps.get(step) ?? 0) + 1)
      const place = `${name}: ${step}`
      stepsByName.set(place, (stepsByName.get(place) ?? 0) + 1)
      if (isValid !== null && found.verified !== isValid)
        problems.push(`!! ${title}: ${name} (try ${tries}): ${step}`)
    }
    const counts = [...steps].map(([step, times]) => `${step}: ${times}`).join(', ')
    console.log(`${count} ${title}, ${problems.length} wrong (${counts})`)
    for (const [place, times] of [...stepsByName].sort()) console.log(`  ${place}: ${times}`)
    return problems
  }
}

function ownBundle() {
  const { bundle, key } = values
  if (bundle === undefined || key === undefined) return undefined
  return { bundle, key: readPrivateKey({ name: key, text: readFileSync(key, 'utf8') }) }
}

/** A bundle of the reference server. */
function madeBundle(folder: string) {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = join(folder, 'key.pem')
  const product = join(folder, 'product.json')
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  writeFileSync(
    product,
    JSON.stringify({
      vendor: 'Example AG',
      name: 'Chat',
      version: '1.0',
      contact: 'a@example.org',
    }),
  )
  const bundle = join(folder, 'bundle')
  const chatgen = fileURLToPath(new URL('../bin/chatgen.cjs', import.meta.url))
  const own = ['--product', product, '--key', key, '--out', bundle, '--profile', values.profile]
  const args = [chatgen, 'certify', '--reference', '--challenge', 'tamper-challenge-93ac', ...own]
  execFileSync(process.execPath, [...args, '--quiet'], { stdio: 'ignore' })
  return { bundle, key: privateKey }
}
