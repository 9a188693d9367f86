import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatgen, emptyFolder } from '../../test-support/chatgen.ts'

export interface MadeBundle {
  /** Folder of the bundle. */
  readonly dir: string
  /** Folder with product.yaml, key.pem and public.pem. */
  readonly folder: string
}

export const challenge = 'winter-programme-5f2c81d0'
let bundle: Promise<MadeBundle> | undefined

/**
 * A bundle of the compatible surface of the reference server, shared by the tests of a process: it is slow.
 * @throws Error if it is refused
 */
export function sharedBundle(): Promise<MadeBundle> {
  bundle ??= makeBundle()
  return bundle
}

async function makeBundle(): Promise<MadeBundle> {
  const folder = vendorFolder()
  const { code, stdout, stderr } = await certify(folder, ['--reference', '--profile', 'openai'])
  if (code !== 0) throw new Error(`${stdout}\n${stderr}`)
  return { folder, dir: join(folder, 'bundle') }
}

/** `chatgen certify` in the folder of a vendor. */
export function certify(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const own = ['--product', 'product.yaml', '--challenge', challenge, '--key', 'key.pem']
  const out = args.includes('--out') ? [] : ['--out', 'bundle']
  return chatgen(['certify', ...own, ...out, ...args], env, folder)
}

const product = 'vendor: Example AG\nname: Chat\nversion: "1.0"\ncontact: conformance@example.org\n'

export function vendorFolder(): string {
  const folder = emptyFolder()
  openssl(['genpkey', '-algorithm', 'ed25519', '-out', join(folder, 'key.pem')])
  const pair = ['-in', join(folder, 'key.pem'), '-pubout', '-out', join(folder, 'public.pem')]
  openssl(['pkey', ...pair])
  writeFileSync(join(folder, 'product.yaml'), product)
  return folder
}

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' })
}

/** A copy that a test may edit. */
export function copyOf({ dir }: MadeBundle): string {
  const copy = mkdtempSync(join(tmpdir(), 'chatgen-bundle-'))
  cpSync(dir, copy, { recursive: true })
  return copy
}
