import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../reference-server/test-support/postgres.ts'
import { integrityProblems } from './integrity.ts'
import { startServer } from './server-process.ts'

export interface StoreServer {
  readonly url: string
  readonly pid: number
  /** Ends the server and removes its data. Returns damage of the data. */
  close(): Promise<readonly string[]>
}

/** Starts a server on a new store. @param store memory, sqlite or postgres */
export async function startStoreServer(
  store: string,
  keys: readonly string[],
): Promise<StoreServer> {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-store-'))
  const file = join(folder, 'store.sqlite')
  const postgres = store === 'postgres' ? await startPostgres() : undefined
  const database = await postgres?.createDatabase('chats')
  const place = database ?? (store === 'sqlite' ? `sqlite:${file}` : 'memory')
  const server = await startServer([
    ...['--port', '0', '--store', place, '--pace', 'ttft=1ms,gap=0ms'],
    ...keys.flatMap((key) => ['--key', key]),
  ])
  return {
    url: server.url,
    pid: server.pid,
    async close() {
      await server.end('SIGTERM')
      await postgres?.remove()
      const damage = store === 'sqlite' ? integrityProblems(file) : []
      rmSync(folder, { recursive: true, force: true })
      return damage
    },
  }
}
