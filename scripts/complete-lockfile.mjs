/**
 * Adds the platform packages that `npm install` leaves out of package-lock.json.
 *
 * A registry that mirrors only some platforms cannot answer for the others; npm then omits them
 * from the lock file and `npm ci` refuses that same file ("Missing: … from lock file",
 * npm/cli issue 9846). Entries with `os` and `cpu` are skipped on every other platform.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const path = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(path, 'utf8'))
const systems = ['android', 'darwin', 'freebsd', 'openharmony', 'win32', 'linux']
const processors = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 's390x', 'riscv64', 'wasm32', 'loong64']

for (const [owner, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const nested = `${owner}/node_modules/${name}`
    const hoisted = `node_modules/${name}`
    if (lock.packages[nested] || lock.packages[hoisted]) continue
    const words = name.split(/[/-]/)
    const os = systems.find((system) => words.includes(system))
    const cpu = processors.find((processor) => words.some((word) => word === processor))
    if (!os) continue
    lock.packages[hoisted] = {
      version: version.replace(/^[\^~]/, ''),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      os: [os],
      cpu: [cpu ?? 'unknown'],
      ...(words.includes('musl') ? { libc: ['musl'] } : {}),
    }
  }
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
lock.packages = Object.fromEntries(sorted)
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
