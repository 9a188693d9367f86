import type { RequestRecord } from '../../harness/load/record.ts'

/** The SIGKILL of a replica. */
export interface Kill {
  /** Host and port of the replica, as in the log of the balancer. */
  readonly replica: string
  /** Time of the signal, and of the notice that the process has ended, Unix milliseconds. */
  readonly sentMs: number
  readonly endedMs: number
}

/** A line of the balancer's log: the end of one request. */
export interface BalancedRequest {
  /** Value of X-Request-Id. */
  readonly requestId: string
  /** Host and port of the replica that the answer came from. */
  readonly replica: string
  /** Unix milliseconds. */
  readonly startedMs: number
  readonly endedMs: number
}

/** Streams by X-Request-Id. */
export interface CutStreams {
  /** Streams that began and were cut; twins of races are among them. */
  readonly cut: readonly string[]
  /** Twins of races with a terminal event: their records do not say if they were cut after it. */
  readonly unclear: readonly string[]
}

export function cutStreams(records: readonly RequestRecord[], tag: string): CutStreams {
  const streams = records.filter(
    ({ surface, form, status }) => surface === 'v3' && form === 'stream' && status === 200,
  )
  const idsOf = (some: readonly RequestRecord[]) =>
    some.map(({ index, step }) => `${tag}/${index}.${step}`)
  return {
    cut: idsOf(streams.filter(isCut)),
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

export interface CutStreamEvidence extends CutStreams {
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
export const logFormat = '$msec\t$request_time\t$upstream_addr\t$http_x_request_id'
