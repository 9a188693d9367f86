import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Draw } from '../../reference-server/runtime/random.ts'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { integrityProblems } from './integrity.ts'
import { startReplicaProcesses } from './replica-processes.ts'
import { startServer } from './server-process.ts'

/** A service whose processes are killed and started again. */
export interface CrashingService {
  /** Endpoints, whether their servers are up or not. */
  readonly urls: () => readonly string[]
  /** Kills something and starts it again; returns a description in the plural. */
  crash(draw: Draw): Promise<string>
  /** Damage of the stored data that shows without a request. */
  problems(): readonly string[]
  close(): Promise<void>
}

const pace = 'ttft=5ms,gap=5ms'
const maxDownMs = 1000

/** Services by the store that the servers use. Each key is a caller. */
export const crashingServices: Readonly<
  Record<string, (keys: readonly string[]) => Promise<CrashingService>>
> = { postgres: startOnPostgres, sqlite: startOnSqlite }

async function startOnPostgres(keys: readonly string[]): Promise<CrashingService> {
  const replicas = await startReplicaProcesses({ count: 3, keys, pace })
  return {
    urls: () => replicas.urls,
    async crash(draw) {
      const downMs = draw() * maxDownMs
      if (draw() < 0.3) {
        await replicas.restartDatabase(downMs)
        return 'restarts of the database'
      }
      await replicas.restart(Math.floor(draw() * replicas.urls.length), downMs)
      return 'kills of a replica'
    },
    problems: () => [],
    close: () => replicas.close(),
  }
}

async function startOnSqlite(keys: readonly string[]): Promise<CrashingService> {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-crash-'))
  const file = join(folder, 'store.sqlite')
  const port = await freePort()
  const users = keys.flatMap((key) => ['--key', key])
  const start = () =>
    startServer([
      ...['--port', String(port), ...users, '--store', `sqlite:${file}`],
      ...['--lease', '3s', '--pace', pace],
    ])
  let server = await start()
  const damage: string[] = []
  return {
    urls: () => [server.url],
    async crash(draw) {
      await server.end('SIGKILL')
      damage.push(...integrityProblems(file))
      await sleep(draw() * maxDownMs)
      server = await start()
      return 'kills of the server'
    },
    problems: () => damage,
    async close() {
      await server.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
