import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { startPostgres } from '../../reference-server/test-support/postgres.ts'
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
    startServer([
      ...['--port', String(port), ...users, '--store', store, '--lease', lease, '--pace', pace],
      ...(port === ports[0] ? firstReplica : []),
    ])
  const servers: ServerProcess[] = await Promise.all(ports.map(start))
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    async restart(replica, downMs = 0) {
      const port = ports[replica] ?? 0
      const sentMs = Date.now()
      await servers[replica]?.end('SIGKILL')
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
      await Promise.all(servers.map((server) => server.end('SIGTERM')))
      await postgres.remove()
    },
  }
}

const bin = fileURLToPath(new URL('../../bin/chatgen.cjs', import.meta.url))

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** Ends the process with a signal, and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** @throws Error with the output of a server that ends before it listens */
export async function startServer(args: readonly string[]): Promise<ServerProcess> {
  const child = spawn(process.execPath, [bin, 'serve', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let errors = ''
  child.stderr.on('data', (bytes) => {
    errors = `${errors}${bytes}`.slice(-2000)
  })
  for await (const line of createInterface(child.stdout)) {
    const url = /^Listening on (\S+)$/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    return { url, pid: child.pid ?? 0, end: (signal) => end(child, ended, signal) }
  }
  throw new Error(`the server ended before it listened: ${errors.trim()}`)
}

async function end(
  child: ChildProcess,
  ended: Promise<unknown>,
  signal: NodeJS.Signals,
): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal)
  await ended
}
