/** A temporary PostgreSQL cluster on loopback, using the packages of this machine. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from './free-port.ts'

export type PostgresCluster = Awaited<ReturnType<typeof startPostgres>>

const packages = '/usr/lib/postgresql'

/** The folder of `initdb` and `postgres`; undefined if PostgreSQL is not installed. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(packages) ? readdirSync(packages) : []
  const folders = versions.map((version) => join(packages, version, 'bin'))
  return folders.findLast((folder) => existsSync(join(folder, 'initdb')))
}

/** @throws Error if PostgreSQL is not installed, or does not start within 20 seconds */
export async function startPostgres(settings: readonly string[] = []) {
  const programs = postgresPrograms()
  if (programs === undefined) throw new Error('PostgreSQL is not installed')
  const user = serverUser()
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-postgres-'))
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  execFileSync(join(programs, 'initdb'), init, { ...user, cwd: folder, stdio: 'pipe' })
  const port = await freePort()
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const options = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...settings]
    const args = ['-D', data, '-p', String(port), ...options.flatMap((option) => ['-c', option])]
    const child = spawn(join(programs ?? '', 'postgres'), args, {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = child
    let log = ''
    child.stderr.on('data', (bytes) => {
      log = `${log}${bytes}`.slice(-4000)
    })
    for (const until = Date.now() + 20_000; ; await sleep(50)) {
      if (await answers(url('postgres'))) return
      if (child.exitCode !== null || Date.now() > until) {
        throw new Error(`PostgreSQL does not start: ${log}`)
      }
    }
  }

  /** Stops as in a crash. SIGQUIT is the immediate shutdown: the log is replayed at the next start. */
  async function kill(): Promise<void> {
    if (server === undefined || server.exitCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGQUIT')
    await ended
  }

  try {
    await start()
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    /** Creates a database, and returns its URL. */
    createDatabase: async (name: string) => {
      await withClient(url('postgres'), (client) => client.query(`CREATE DATABASE "${name}"`))
      return url(name)
    },
    start,
    kill,
    /** Stops the server and deletes its files. */
    remove: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function answers(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    await client.query('SELECT 1')
    return true
  }).catch(() => false)
}
