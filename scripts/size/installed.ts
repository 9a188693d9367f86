import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Size of a production install of the packed package: 10^6 bytes, and packages, this one included. */
export function installedSize(): {
  readonly installedMegabytes: number
  readonly installedPackages: number
} {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-size-'))
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{}')
  const packed = npm(
    ['pack', '--silent', '--pack-destination', folder],
    fileURLToPath(new URL('../..', import.meta.url)),
  )
  const tarball = join(folder, packed.trim().split('\n').at(-1) ?? '')
  npm(['install', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error', tarball], project)
  const modules = join(project, 'node_modules')
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .map((path) => ({ path, stats: lstatSync(join(modules, path)) }))
    .filter(({ stats }) => stats.isFile())
  rmSync(folder, { recursive: true })
  return {
    installedMegabytes: Math.round(files.reduce((sum, { stats }) => sum + stats.size, 0) / 1e6),
    installedPackages: files.filter(({ path }) => isManifest(path)).length,
  }
}

/** True for the package.json of a package, and not for one further down in it. */
function isManifest(path: string): boolean {
  if (basename(path) !== 'package.json') return false
  const name = `node_modules/${dirname(path)}`
  return /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@.][^/]*$/.test(name)
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
