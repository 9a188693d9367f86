/** Replicas of `chatgen serve` on one PostgreSQL database, behind nginx. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { startProgram, temporaryPaths } from '../foreign/programs.ts'
import { type BalancedRequest, logFormat, readBalancerLog } from './cut-streams.ts'
import {
  type ReplicaOptions,
  type ReplicaProcesses,
  startReplicaProcesses,
} from './replica-processes.ts'

export interface BalancedService extends ReplicaProcesses {
  /** nginx. */
  readonly url: string
  /** Requests that have ended, from the log of nginx. */
  requests(): readonly BalancedRequest[]
}

export async function startBalancedService(options: ReplicaOptions): Promise<BalancedService> {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-replicas-'))
  const replicas = await startReplicaProcesses(options)
  const ports = replicas.urls.map((url) => Number(new URL(url).port))
  const front = await freePort()
  const nginx = await startProgram(folder, front, {
    command: ['nginx', '-p', folder, '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`],
    files: { 'nginx.conf': configuration(folder, front, ports) },
  })
  return {
    ...replicas,
    url: `http://127.0.0.1:${front}`,
    requests: () => readBalancerLog(readFileSync(join(folder, 'access.log'), 'utf8')),
    async close() {
      await nginx.stop()
      await replicas.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * A request that a replica has not answered goes to another one; a POST only if its Idempotency-Key
 * makes that safe.
 */
function configuration(folder: string, port: number, ports: readonly number[]): string {
  const proxy = `proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_connect_timeout 1s;`
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  log_format ends '${logFormat}';
  access_log ${folder}/access.log ends;
  client_max_body_size 20m;
  ${temporaryPaths(folder).join('\n  ')}
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
  }
}
`
}
