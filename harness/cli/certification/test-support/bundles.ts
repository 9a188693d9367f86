import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { chatgen, emptyFolder, expectEnd, workplace } from '../../test-support/chatgen.ts'

/** A bundle, and the folder with product.yaml, key.pem and public.pem. */
export type MadeBundle = Awaited<ReturnType<typeof makeBundle>>

export const challenge = '2026-11-7f3a9c51e02b'

let bundle: Promise<MadeBundle> | undefined

/**
 * A bundle of the compatible surface of the reference server, shared by the tests of a process: it is slow.
 * @throws Error if it is refused
 */
export function sharedBundle(): Promise<MadeBundle> {
  bundle ??= makeBundle()
  return bundle
}

async function makeBundle() {
  const folder = vendorFolder()
  expectEnd(await certify(folder, '--reference --profile openai'), 0)
  return { folder, dir: join(folder, 'bundle') }
}

/** `chatgen certify` in the folder of a vendor. */
export function certify(folder: string, flags: string, env: Readonly<Record<string, string>> = {}) {
  const own = `--product product.yaml --challenge ${challenge} --key key.pem`
  const out = flags.includes('--out') ? '' : '--out bundle'
  return chatgen(`certify ${own} ${out} ${flags}`, env, folder)
}

const product = 'vendor: Example AG\nname: Chat\nversion: "1.0"\ncontact: conformance@example.org\n'

export function vendorFolder(): string {
  const { folder } = workplace({}, { 'product.yaml': product })
  const openssl = (line: string) =>
    execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'ignore' })
  openssl('genpkey -algorithm ed25519 -out key.pem')
  openssl('pkey -in key.pem -pubout -out public.pem')
  return folder
}

/** A copy that a test may edit. */
export function copyOf({ dir }: MadeBundle): string {
  const copy = emptyFolder()
  cpSync(dir, copy, { recursive: true })
  return copy
}
