import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childServer } from '../../harness/load/child-server.ts'
import type { LoggedStream, LoggingServerOptions } from './logging-server.ts'

/** Runs the server with its log in a separate process, for the time of `use`; returns its result and the log. */
export async function withLog<Result>(
  options: Omit<LoggingServerOptions, 'log'>,
  use: (url: string) => Promise<Result>,
): Promise<{ readonly result: Result; readonly log: readonly LoggedStream[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-load-'))
  const log = join(folder, 'log.ndjson')
  const server = await childServer([fileURLToPath(new URL('logging-server.ts', import.meta.url))], {
    line: JSON.stringify({ ...options, log } satisfies LoggingServerOptions),
  })
  try {
    const result = await use(server.url)
    await server.stop()
    const lines = readFileSync(log, 'utf8').trim().split('\n')
    return { result, log: lines.map((line): LoggedStream => JSON.parse(line)) }
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}
