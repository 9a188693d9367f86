import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { need, root, run } from './engine.ts'

const dockerfile = 'deploy/Dockerfile'
const publicBase = 'node:24-bookworm-slim'
const localBase = 'chatgen-test-base'
const stage = 'chatgen-test-stage'

interface Built {
  /** The image in which the stages ran. */
  readonly base: string
  readonly bytes: number
}

/** Builds deploy/Dockerfile. @param tag name of the image */
export function buildImage(tag: string): Built {
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
  const isHere = run('docker', ['image', 'inspect', publicBase]).code === 0
  if (isHere || run('docker', ['pull', '--quiet', publicBase]).code === 0) return publicBase
  importLocalBase()
  return localBase
}

/** Node 24 of the checkout, npm, a shell and their libraries; certificates that npm here trusts. */
function importLocalBase(): void {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-base-'))
  const add = (from: string, to: string) => {
    mkdirSync(dirname(join(folder, to)), { recursive: true })
    cpSync(realpathSync(from), join(folder, to), { recursive: true, dereference: true })
  }
  try {
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
    const archive = `${folder}.tar`
    need('tar', ['-C', folder, '-cf', archive, '.'])
    const changes = settings.flatMap((setting) => ['--change', setting])
    need('docker', ['import', ...changes, archive, localBase])
    rmSync(archive)
  } finally {
    rmSync(folder, { recursive: true })
  }
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
