/**
 * Writes the file system of the image into a folder: Node, the shared libraries that it loads, the files of
 * the package and its dependencies.
 *
 *   node deploy/image-root.mjs FOLDER      (in a checkout after `npm run build`)
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('..', import.meta.url))
const [target] = process.argv.slice(2)
if (target === undefined) throw new Error('usage: node deploy/image-root.mjs FOLDER')
const user = { name: 'chatgen', id: 65532 }

copy(realpathSync(process.execPath), 'bin/node')
for (const file of packagedFiles()) copy(join(source, file), join('app', file))
for (const module of dependencies()) copy(join(source, module), join('app', module))
for (const library of sharedLibraries()) copy(realpathSync(library), library)
copy(join(source, 'deploy/healthcheck.mjs'), 'app/healthcheck.mjs')
write('bin/chatgen', "#!/bin/node\nrequire('/app/bin/chatgen.cjs')\n")
chmodSync(join(target, 'bin/chatgen'), 0o755)
write('etc/passwd', `${user.name}:x:${user.id}:${user.id}::/work:\n`)
write('etc/group', `${user.name}:x:${user.id}:\n`)
folder('tmp', 0o1777)
folder('work', 0o755)
chownSync(join(target, 'work'), user.id, user.id)

/** Libraries of Node and of the addons in the image, and the dynamic linker, which executables name. */
function sharedLibraries() {
  for (const file of readdirSync(join(target, 'app'), { recursive: true })) {
    if (file.endsWith('.node')) process.dlopen({ exports: {} }, join(target, 'app', file))
  }
  const { sharedObjects } = process.report.getReport()
  const linkers = ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1']
  return [...sharedObjects, ...linkers].filter(
    (path) => path.startsWith('/') && !path.startsWith(target) && existsSync(path),
  )
}

/** Files that `npm pack` would publish. */
function packagedFiles() {
  const [packed] = JSON.parse(npm('pack', '--dry-run', '--json', '--ignore-scripts'))
  return packed.files.map(({ path }) => path)
}

/** Folders of the packages that the package needs at run time, below the checkout. */
function dependencies() {
  return npm('ls', '--omit=dev', '--omit=peer', '--all', '--parseable')
    .trim()
    .split('\n')
    .map((path) => relative(source, path))
    .filter((path) => path.startsWith('node_modules/'))
}

function npm(...args) {
  const { stdout, stderr, error } = spawnSync('npm', args, {
    cwd: source,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  if (error !== undefined || stdout === '') throw error ?? new Error(stderr)
  return stdout
}

function copy(from, to) {
  mkdirSync(dirname(join(target, to)), { recursive: true })
  cpSync(from, join(target, to), { recursive: true, dereference: true })
}

function write(name, text) {
  mkdirSync(dirname(join(target, name)), { recursive: true })
  writeFileSync(join(target, name), text)
}

function folder(name, mode) {
  mkdirSync(join(target, name), { recursive: true })
  chmodSync(join(target, name), mode)
}
