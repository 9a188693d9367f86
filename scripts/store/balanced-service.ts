/** Replicas of `chatgen serve` on one PostgreSQL database, behind nginx. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChildServer } from '../../harness/load/child-server.ts'
import type { RequestRecord } from '../../harness/load/record.ts'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { startPostgres } from '../../reference-server/test-support/postgres.ts'
import { serve, startNginx } from '../foreign/programs.ts'
import { scriptFolder } from '../options.ts'

export type BalancedService = Awaited<ReturnType<typeof startBalancedService>>

/** Longer than a starved machine stalls, since a replica that does not renew a lease loses its run. */
const lease = '8s'

/** @param firstReplica further flags of `chatgen serve`, of the first replica */
export async function startBalancedService(
  count: number,
  keys: readonly string[],
  pace: string,
  firstReplica: readonly string[],
) {
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
    /** Address of nginx. */
    url: `http://127.0.0.1:${front}`,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    /** Ends a replica by SIGKILL and starts it again on its port. */
    async restart(replica: number): Promise<Kill> {
      const port = ports[replica] ?? 0
      const sentMs = Date.now()
      await servers[replica]?.stop('SIGKILL')
      const endedMs = Date.now()
      servers[replica] = await start(port)
      return { replica: `127.0.0.1:${port}`, sentMs, endedMs }
    },
    /** Requests that have ended. */
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

/** The SIGKILL of a replica. */
export interface Kill {
  /** Host and port of the replica, as in the log of the balancer. */
  readonly replica: string
  /** Time of the signal, and of the notice that the process has ended, Unix milliseconds. */
  readonly sentMs: number
  readonly endedMs: number
}

/** A line of the balancer's log: the end of one request. */
interface BalancedRequest {
  /** Value of X-Request-Id. */
  readonly requestId: string
  /** Host and port of the replica that the answer came from. */
  readonly replica: string
  /** Unix milliseconds. */
  readonly startedMs: number
  readonly endedMs: number
}

/** Streams by X-Request-Id. */
export function cutStreams(records: readonly RequestRecord[], tag: string) {
  const streams = records.filter(
    ({ surface, form, status }) => surface === 'v3' && form === 'stream' && status === 200,
  )
  const idsOf = (some: readonly RequestRecord[]) =>
    some.map(({ index, step }) => `${tag}/${index}.${step}`)
  return {
    /** Streams that began and were cut; twins of races are among them. */
    cut: idsOf(streams.filter(isCut)),
    /** Twins of races with a terminal event: their records do not say if they were cut after it. */
    unclear: idsOf(streams.filter((record) => isRaceTwin(record) && !isCut(record))),
  }
}

function isCut(record: RequestRecord): boolean {
  const { outcome, timestamps } = record
  if (isRaceTwin(record)) return timestamps.terminal === null
  return (
    outcome.kind === 'truncated' || (outcome.kind === 'integrity' && outcome.detail === streamEnd)
  )
}

/** The other request of a race counts as abandoned, however its answer ended. */
function isRaceTwin({ outcome }: RequestRecord): boolean {
  return outcome.kind === 'abandoned' && outcome.why === 'race'
}

/** The requirement that a stream ends with its terminal event. */
export const streamEnd = 'V3-SSE-08'

export interface CutStreamEvidence extends ReturnType<typeof cutStreams> {
  /** Answers that violated the requirement in the report. */
  readonly violations: number
  readonly log: readonly BalancedRequest[]
  readonly kills: readonly Kill[]
}

/**
 * Matches each cut stream with the kill of the replica that it came from, which it must have been
 * answering at that moment. Returns the streams that no kill explains, and violations that are not cut
 * streams; a sentence each.
 */
export function unexplainedCuts(evidence: CutStreamEvidence): readonly string[] {
  const { cut, unclear, violations, log, kills } = evidence
  const requests = new Map(log.map((request) => [request.requestId, request]))
  const spansKill = ({ replica, startedMs, endedMs }: BalancedRequest) =>
    kills.some(
      (kill) => kill.replica === replica && startedMs <= kill.endedMs && kill.sentMs <= endedMs,
    )
  const unexplained = cut.flatMap((requestId) => {
    const request = requests.get(requestId)
    if (request === undefined) return [`stream ${requestId} was cut and is not in the log of nginx`]
    if (spansKill(request)) return []
    const at = new Date(request.endedMs).toISOString()
    return [`stream ${requestId} was cut at ${at}, and ${request.replica} was not killed`]
  })
  const maybe = unclear.filter((requestId) => {
    const request = requests.get(requestId)
    return request !== undefined && spansKill(request)
  }).length
  if (cut.length <= violations && violations <= cut.length + maybe) return unexplained
  return [
    ...unexplained,
    `${streamEnd} is violated ${violations} times, and ${cut.length} streams were cut`,
  ]
}

/** Parses a log in the format of `logFormat`. */
export function readBalancerLog(text: string): readonly BalancedRequest[] {
  return text.split('\n').flatMap((line) => {
    const [end, seconds, replicas, requestId] = line.split('\t')
    if (requestId === undefined || requestId === '-') return []
    // A retried request lists all replicas that it was sent to.
    const replica = replicas?.split(', ').at(-1) ?? ''
    const endedMs = Math.round(Number(end) * 1000)
    const startedMs = endedMs - Math.round(Number(seconds) * 1000)
    return [{ requestId, replica, startedMs, endedMs }]
  })
}

/** The format of nginx that `readBalancerLog` parses. */
const logFormat = '$msec\t$request_time\t$upstream_addr\t$http_x_request_id'
