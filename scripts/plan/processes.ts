/** Processes on free loopback ports. */
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { temporaryPaths } from '../foreign/programs.ts'
import { waitForPort } from '../server/wait-for-port.ts'

/** One worker, so that the turn of round robin is one. */
export async function startNginx(
  program: string,
  servers: readonly number[],
  folder: string,
): Promise<{ readonly port: number; readonly child: ChildProcess }> {
  const port = await freePort()
  const upstream = servers.map((server) => `server 127.0.0.1:${server};`).join(' ')
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `worker_processes 1; daemon off; error_log stderr error; pid ${join(folder, 'nginx.pid')};
events { worker_connections 4096; }
http {
  access_log off; ${temporaryPaths(folder).join(' ')}
  upstream replicas { ${upstream} keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://replicas; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 120s;
    }
  }
}
`,
  )
  const child = spawn(program, ['-c', file, '-p', folder], { stdio: 'ignore' })
  await requireListener(port)
  return { port, child }
}

export function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}

/** @throws Error if nothing listens on the port within two minutes */
export async function requireListener(port: number): Promise<void> {
  if (await waitForPort(port, { timeoutMs: 120_000, everyMs: 100 })) return
  throw new Error(`nothing listens on port ${port}`)
}
