/** Replicas of `chatgen serve` on one PostgreSQL database, behind nginx. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChildServer } from '../../harness/load/child-server.ts'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { startPostgres } from '../../reference-server/test-support/postgres.ts'
import { serve, startNginx } from '../foreign/programs.ts'
import { scriptFolder } from '../options.ts'
import { type BalancedRequest, type Kill, logFormat, readBalancerLog } from './cut-streams.ts'

export interface BalancedService {
  /** nginx. */
  readonly url: string
  readonly urls: readonly string[]
  /** Ends a replica by SIGKILL and starts it again on its port. */
  restart(replica: number): Promise<Kill>
  /** Requests that have ended, from the log of nginx. */
  requests(): readonly BalancedRequest[]
  close(): Promise<void>
}

interface ReplicaOptions {
  readonly count: number
  /** One key per user. */
  readonly keys: readonly string[]
  readonly pace: string
  /** Further flags of `chatgen serve`, of the first replica. */
  readonly firstReplica: readonly string[]
}

/** Longer than a starved machine stalls, since a replica that does not renew a lease loses its run. */
const lease = '8s'

export async function startBalancedService({
  count,
  keys,
  pace,
  firstReplica,
}: ReplicaOptions): Promise<BalancedService> {
  const folder = scriptFolder('replicas')
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
  const front = await freePort()
  const nginx = await startNginx(folder, front, proxyTo(ports, front, folder))
  return {
    url: `http://127.0.0.1:${front}`,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    async restart(replica) {
      const port = ports[replica] ?? 0
      const sentMs = Date.now()
      await servers[replica]?.stop('SIGKILL')
      const endedMs = Date.now()
      servers[replica] = await start(port)
      return { replica: `127.0.0.1:${port}`, sentMs, endedMs }
    },
    requests: () => readBalancerLog(readFileSync(join(folder, 'access.log'), 'utf8')),
    async close() {
      await nginx.stop()
      await Promise.all(servers.map((server) => server.stop()))
      await postgres.remove()
    },
  }
}

/**
 * A request that a replica has not answered goes to another one; a POST only if its Idempotency-Key
 * makes that safe.
 */
function proxyTo(ports: readonly number[], port: number, folder: string): string {
  const proxy = `proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_connect_timeout 1s;`
  return `  log_format ends '${logFormat}';
  access_log ${folder}/access.log ends;
  client_max_body_size 20m;
  upstream replicas {
    ${ports.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=1s;`).join('\n    ')}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      ${proxy}
      proxy_next_upstream error timeout http_503;
    }
    location = /api/v3/message/generate {
      ${proxy}
      proxy_next_upstream error timeout http_503 non_idempotent;
    }
  }`
}
