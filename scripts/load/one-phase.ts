/** One reader against one fresh server with a log; each in a process of its own. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { childServer } from '../../harness/load/child-server.ts'
import type { LoggedStream, LoggingServerOptions } from './logging-server.ts'
import type { ReaderOptions, ReaderResult } from './reader.ts'
import type { ReaderName, ReaderOrder } from './reader-process.ts'

export interface PhaseResult<Result extends ReaderResult> {
  readonly result: Result
  readonly log: readonly LoggedStream[]
  /** CPU of the server over its whole life, seconds. */
  readonly serverCpu: number
}

const run = promisify(execFile)
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export async function onePhase<Result extends ReaderResult = ReaderResult>(
  reader: ReaderName,
  server: Pick<LoggingServerOptions, 'pace' | 'seed'>,
  options: Omit<ReaderOptions, 'url' | 'key'>,
  nodeFlags: readonly string[] = [],
): Promise<PhaseResult<Result>> {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-load-'))
  const key = 'load-key'
  const log = join(folder, 'log.ndjson')
  const child = await childServer([file('./logging-server.ts')], {
    line: JSON.stringify({ ...server, key, log } satisfies LoggingServerOptions),
  })
  try {
    const order: ReaderOrder = {
      reader,
      options: { ...options, url: child.url, key },
      file: join(folder, 'result.json'),
    }
    await run(process.execPath, [...nodeFlags, file('./reader-process.ts'), JSON.stringify(order)])
    const serverCpu = cpuSeconds(child.pid)
    await child.stop()
    return {
      result: JSON.parse(readFileSync(order.file, 'utf8')),
      log: readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      serverCpu,
    }
  } finally {
    await child.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Linux alone tells it of another process; elsewhere NaN. */
function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return Number.NaN
  }
}

/** Number of events that the server wrote within a time. */
export function eventsWithin(
  log: readonly LoggedStream[],
  [from, to]: readonly [number, number],
): number {
  return log.reduce((sum, { sent }) => sum + sent.filter((at) => at >= from && at < to).length, 0)
}
