import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildServer } from '../../harness/load/child-server.ts'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { startPostgres } from '../../reference-server/test-support/postgres.ts'
import { serve } from '../foreign/programs.ts'
import type { Kill } from './cut-streams.ts'

/** Replicas of `chatgen serve` on one PostgreSQL database. */
export interface ReplicaProcesses {
  readonly urls: readonly string[]
  /** Ends a replica by SIGKILL and starts it again on its port. */
  restart(replica: number, downMs?: number): Promise<Kill>
  /** The database crashes and starts again. */
  restartDatabase(downMs: number): Promise<void>
  close(): Promise<void>
}

export interface ReplicaOptions {
  readonly count: number
  /** Each is a user. */
  readonly keys: readonly string[]
  readonly pace: string
  /** Further flags of `chatgen serve`, of the first replica. */
  readonly firstReplica?: readonly string[]
}

/** Longer than a starved machine stands still, since a replica that does not renew a lease loses its run. */
const lease = '8s'

export async function startReplicaProcesses({
  count,
  keys,
  pace,
  firstReplica = [],
}: ReplicaOptions): Promise<ReplicaProcesses> {
  const postgres = await startPostgres()
  const store = await postgres.createDatabase('chats')
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const users = keys.flatMap((key) => ['--key', key])
  const start = (port: number) =>
    serve(
      ...['--port', String(port), ...users, '--store', store, '--lease', lease, '--pace', pace],
      ...(port === ports[0] ? firstReplica : []),
    )
  const servers: ChildServer[] = await Promise.all(ports.map(start))
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    async restart(replica, downMs = 0) {
      const port = ports[replica] ?? 0
      const sentMs = Date.now()
      await servers[replica]?.stop('SIGKILL')
      const endedMs = Date.now()
      await sleep(downMs)
      servers[replica] = await start(port)
      return { replica: `127.0.0.1:${port}`, sentMs, endedMs }
    },
    async restartDatabase(downMs) {
      await postgres.kill()
      await sleep(downMs)
      await postgres.start()
    },
    async close() {
      await Promise.all(servers.map((server) => server.stop()))
      await postgres.remove()
    },
  }
}
