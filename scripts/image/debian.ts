/** Images of PostgreSQL and nginx: the public ones, or made of Debian's packages if no registry answers. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInstalled } from '../foreign/programs.ts'
import { need, run } from './engine.ts'

const debian = 'chatgen-test-debian'
const sources = '/etc/apt/sources.list.d/debian.sources'

/** Creates the role and the database that the public image creates from the same variables. */
const postgresEntry = `#!/bin/sh
set -e
bin=$(dirname /usr/lib/postgresql/*/bin/initdb)
data=/var/lib/postgresql/data
mkdir -p $data /run/postgresql && chown postgres $data /run/postgresql
if [ ! -s $data/PG_VERSION ]; then
  printf %s "$POSTGRES_PASSWORD" >/tmp/password && chown postgres /tmp/password
  su postgres -c "$bin/initdb --auth=scram-sha-256 --pwfile=/tmp/password --username=$POSTGRES_USER $data"
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
  echo "CREATE DATABASE $POSTGRES_DB" | su postgres -c "$bin/postgres --single -D $data postgres"
fi
exec su postgres -c "exec $bin/postgres -D $data -c 'listen_addresses=*'"
`

interface ServiceImages {
  readonly postgres: string
  readonly nginx: string
  /** Origin of the images, for the output. */
  readonly origin: string
}

/** The images, or the reason why there are none. */
export function serviceImages(): ServiceImages | string {
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
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-debian-'))
  const archive = join(folder, 'root.tar')
  try {
    const packages = '--include=postgresql,nginx-light'
    const { code } = run('mmdebstrap', [
      '--variant=minbase',
      packages,
      'bookworm',
      archive,
      sources,
    ])
    if (code !== 0) return false
    need('docker', ['import', archive, debian])
    return true
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function built(name: string, instructions: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-debian-'))
  const tag = tagOf(name)
  try {
    writeFileSync(join(folder, 'entry.sh'), postgresEntry)
    writeFileSync(join(folder, 'Dockerfile'), `FROM ${debian}\n${instructions}`)
    need('docker', ['build', '--tag', tag, folder], { env: { DOCKER_BUILDKIT: '0' } })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return tag
}

function tagOf(name: string): string {
  return `chatgen-test-${name}`
}
