/** Images of PostgreSQL and nginx: the public ones, or made of Debian's packages if no registry answers. */
import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isInstalled } from '../foreign/programs.ts'
import { scriptFolder } from '../options.ts'
import { need, root, run } from './engine.ts'

const dockerfile = 'deploy/Dockerfile'
const publicBase = 'node:24-bookworm-slim'
const localBase = 'chatgen-test-base'
const stage = 'chatgen-test-stage'

/** Builds deploy/Dockerfile. @param tag name of the image @returns its size, and the image in which the stages ran */
export function buildImage(tag: string) {
  const base = baseImage()
  const args = ['build', '--file', dockerfile, '--build-arg', `NODE_IMAGE=${base}`, '.']
  if (run('docker', ['buildx', 'version']).code === 0) {
    need('docker', [...args, '--tag', tag], { env: { DOCKER_BUILDKIT: '1' } })
  } else {
    // The classic builder leaves the image of a stage behind, which needs a name to be removed.
    const env = { DOCKER_BUILDKIT: '0' }
    need('docker', [...args, '--tag', stage, '--target', 'build'], { env })
    need('docker', [...args, '--tag', tag], { env })
  }
  const size = need('docker', ['image', 'inspect', '--format', '{{.Size}}', tag])
  return { base, bytes: Number(size) }
}

/** Removes the image and intermediate ones. */
export function removeImages(tag: string): void {
  run('docker', ['image', 'rm', '--force', tag, stage, localBase])
}

/** The base that the Dockerfile names; without a registry, one made from files of this machine. */
function baseImage(): string {
  if (isPulled(publicBase)) return publicBase
  importLocalBase()
  return localBase
}

/** Node 24 of the checkout, npm, a shell and their libraries; certificates that npm here trusts. */
function importLocalBase(): void {
  const folder = scriptFolder('base')
  const add = (from: string, to: string) => {
    mkdirSync(dirname(join(folder, to)), { recursive: true })
    cpSync(realpathSync(from), join(folder, to), { recursive: true, dereference: true })
  }
  const node = createRequire(join(root, 'package.json')).resolve('node/bin/node')
  const names = ['sh', 'rm', 'cp', 'mkdir', 'env']
  for (const name of names) add(pathOf(name), `/bin/${name}`)
  for (const library of [node, ...names.map(pathOf)].flatMap(librariesOf)) add(library, library)
  add(pathOf('env'), '/usr/bin/env')
  add(node, '/usr/local/bin/node')
  // node_modules/npm/bin/npm-cli.js
  add(dirname(dirname(realpathSync(pathOf('npm')))), '/usr/local/lib/npm')
  symlinkSync('../lib/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm'))
  mkdirSync(join(folder, 'tmp'), { mode: 0o1777 })
  const settings = ['ENV PATH=/usr/local/bin:/usr/bin:/bin']
  const authorities = process.env['NODE_EXTRA_CA_CERTS']
  if (authorities !== undefined && existsSync(authorities)) {
    add(authorities, '/etc/ssl/extra.pem')
    settings.push('ENV NODE_EXTRA_CA_CERTS=/etc/ssl/extra.pem')
  }
  const archive = join(scriptFolder('base'), 'root.tar')
  need('tar', ['-C', folder, '-cf', archive, '.'])
  const changes = settings.flatMap((setting) => ['--change', setting])
  need('docker', ['import', ...changes, archive, localBase])
}

function pathOf(program: string): string {
  return need('sh', ['-c', `command -v ${program}`]).trim()
}

/** Libraries that a program names, and those of glibc, which addons may name. */
function librariesOf(program: string): readonly string[] {
  const named = need('ldd', [program]).match(/\/\S+/g) ?? []
  const folders = new Set(named.filter((path) => /\/libc\.so/.test(path)).map(dirname))
  const others = [...folders].flatMap((folder) =>
    ['librt.so.1', 'libresolv.so.2', 'libpthread.so.0', 'libdl.so.2'].map((name) =>
      join(folder, name),
    ),
  )
  return [...named, ...others.filter((path) => existsSync(path))]
}

const debian = 'chatgen-test-debian'
const sources = '/etc/apt/sources.list.d/debian.sources'

/** The images with their origin, or the reason why there are none. */
export function serviceImages() {
  const published = { postgres: 'postgres:17', nginx: 'nginx:1.28' }
  if ([published.postgres, published.nginx].every(isPulled)) {
    return { ...published, origin: 'the public images' }
  }
  if (!isInstalled('mmdebstrap')) return 'no registry, and mmdebstrap is not installed'
  if (!existsSync(sources)) return `no registry, and no ${sources}`
  if (!importDebian()) return 'no registry, and no packages of Debian'
  return {
    postgres: built('postgres', 'COPY entry.sh /entry.sh\nENTRYPOINT ["/bin/sh", "/entry.sh"]\n'),
    nginx: built('nginx', `CMD ["nginx", "-g", "daemon off;"]\n`),
    origin: "Debian's packages of PostgreSQL and nginx",
  }
}

export function removeServiceImages(): void {
  run('docker', ['image', 'rm', '--force', tagOf('postgres'), tagOf('nginx'), debian])
}

function isPulled(image: string): boolean {
  if (run('docker', ['image', 'inspect', image]).code === 0) return true
  return run('docker', ['pull', '--quiet', image]).code === 0
}

/** False if Debian's packages cannot be downloaded. */
function importDebian(): boolean {
  const archive = join(scriptFolder('debian'), 'root.tar')
  const packages = '--include=postgresql,nginx-light'
  const { code } = run('mmdebstrap', ['--variant=minbase', packages, 'bookworm', archive, sources])
  if (code !== 0) return false
  need('docker', ['import', archive, debian])
  return true
}

function built(name: string, instructions: string): string {
  const folder = scriptFolder('debian')
  const tag = tagOf(name)
  cpSync(new URL('postgres-entry.sh', import.meta.url), join(folder, 'entry.sh'))
  writeFileSync(join(folder, 'Dockerfile'), `FROM ${debian}\n${instructions}`)
  need('docker', ['build', '--tag', tag, folder], { env: { DOCKER_BUILDKIT: '0' } })
  return tag
}

function tagOf(name: string): string {
  return `chatgen-test-${name}`
}
