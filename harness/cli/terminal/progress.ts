import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { shorten } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import type { Progress } from '../../conformance/progress.ts'
import type { Io } from './io.ts'
import { noStatus, showStatus } from './status.ts'

/** Texts of the latest progress, which is undefined before the first. */
interface ProgressTexts<P> {
  readonly drawn: (latest: P | undefined, width: number) => string
  readonly logged: (latest: P | undefined) => string
  /** Report and line of its page. */
  readonly live: (latest: P) => Live
}

/** Shows the latest progress of a run on standard error, and on its page. */
export function showLatest<P>(io: Io, enabled: boolean, { drawn, logged, live }: ProgressTexts<P>) {
  if (!enabled) return { ...noStatus, update: (_: P) => {} }
  const tell = liveSender(io)
  let latest: P | undefined
  const status = showStatus(io, {
    drawn: (width) => drawn(latest, width),
    logged: () => logged(latest),
  })
  return {
    update(progress: P): void {
      latest = progress
      status.refresh()
      tell(() => live(progress))
    },
    stop: status.stop,
  }
}

/**
 * Shows the progress of a conformance run. Violations are counted as the report counts them, except that a
 * requirement may still turn out to be blocked by another.
 */
export function showProgress(io: Io, enabled: boolean) {
  const startedAt = performance.now()
  /** The beginning of the latest run: a certification has several. */
  let begunAt = startedAt
  let share = 0
  const view = showLatest<Progress>(io, enabled, {
    drawn: (latest, width) => shorten(latest === undefined ? 'starting' : drawnText(latest), width),
    logged: (latest) => `check: ${loggedText(latest)}`,
    live: (latest) => ({ report: latest.report(), text: drawnText(latest) }),
  })
  return {
    ...view,
    update(latest: Progress): void {
      if (latest.share < share) begunAt = performance.now()
      share = latest.share
      view.update(latest)
    },
  }

  function drawnText(progress: Progress): string {
    return `${[...numbers(progress), ...left(progress)].join(', ')}: ${progress.scenario}`
  }

  function loggedText(latest: Progress | undefined): string {
    const elapsed = `${Math.round((performance.now() - startedAt) / 1000)} s`
    if (latest === undefined) return `no scenario finished yet, ${elapsed}`
    const requests = count(latest.cost.requests, 'request')
    return [...numbers(latest), requests, elapsed, ...left(latest)].join(', ')
  }

  /** `about 40 s left`, from the share of the work that is done; nothing while it is too early to estimate. */
  function left({ share }: Progress): readonly string[] {
    const elapsedMs = performance.now() - begunAt
    if (share < minShare || share >= 1 || elapsedMs < minMs) return []
    return [`about ${durationText((elapsedMs * (1 - share)) / share)} left`]
  }
}

function numbers(progress: Progress): readonly string[] {
  const { done, total, retries, requirements } = progress
  const violated = requirements().filter(({ verdict }) => verdict === 'fail').length
  return [
    `${done}/${total} scenarios`,
    ...(violated === 0 ? [] : [`${violated} violated`]),
    ...(retries === 0 ? [] : [retries === 1 ? '1 retry' : `${retries} retries`]),
  ]
}

interface StepOptions {
  /** Prefix of its lines in a log. */
  readonly name: string
  readonly enabled?: boolean
  /** Expected duration in milliseconds, if known. */
  readonly expectedMs?: number
  /** Steps are long: each has its own line in a log. */
  readonly everyStep?: boolean
}

export function showSteps(
  io: Io,
  { name, enabled = true, expectedMs = 0, everyStep = false }: StepOptions,
) {
  if (!enabled) return { ...noStatus, step: (_: string) => {} }
  const startedAt = performance.now()
  const elapsedMs = () => performance.now() - startedAt
  let latest = 'starting'
  const status = showStatus(io, {
    short: !everyStep,
    drawn: (width) => shorten([latest, ...left()].join(', '), width),
    logged: () =>
      `${name}: ${[latest, `${Math.round(elapsedMs() / 1000)} s`, ...left()].join(', ')}`,
  })
  return {
    step(description: string) {
      latest = description
      if (everyStep && !io.terminal) io.err(`${name}: ${description}`)
      status.refresh()
    },
    stop: status.stop,
  }

  function left(): readonly string[] {
    const ms = expectedMs - elapsedMs()
    return ms > 0 ? [`about ${durationText(ms)} left`] : []
  }
}

/** An estimate before this share of the work, or this time, would be a guess. */
const minShare = 0.05
const minMs = 2000

/** Rounds up to five seconds, and from two minutes on to a minute. */
export function durationText(ms: number): string {
  const seconds = Math.max(5, Math.ceil(ms / 5000) * 5)
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}

/** A run under way, as its process reports it to the one that shows it. */
export interface Live {
  /** Report of the run if it ended now; null until there is something to report. */
  readonly report: ConformanceReport | LoadReport | CapacityReport | null
  /** The load run of the current probe of a search. */
  readonly probe?: LoadReport | null
  /** `12/60 scenarios, 1 violated`. */
  readonly text: string
}

export type LiveMessage =
  | { readonly live: Live }
  /** Message of a run that ended without a report. */
  | { readonly failed: string }

/** Set for a process whose progress is shown by the one that started it. */
export const liveVariable = 'CHATGEN_LIVE'

const minIntervalMs = 500
/** A report is made on the thread that also counts what is measured: it gets a twentieth of its time. */
const maxShare = 0.05

/** Reports progress to the parent process; does nothing unless the parent shows it. */
export function liveSender(io: Pick<Io, 'clean' | 'env'>): (make: () => Live) => void {
  if (!isFollowed(io.env)) return () => {}
  let nextAt = 0
  return (make) => {
    const startedAt = performance.now()
    if (startedAt < nextAt) return
    send({ live: make() }, io)
    const tookMs = performance.now() - startedAt
    nextAt = startedAt + Math.max(minIntervalMs, tookMs / maxShare)
  }
}

/** Tells the parent process why there is no report. */
export function tellFailure(message: string, io: Pick<Io, 'clean' | 'env'>): void {
  if (isFollowed(io.env)) send({ failed: message }, io)
}

function isFollowed(env: Io['env']): boolean {
  return process.send !== undefined && env[liveVariable] !== undefined
}

/** Sends a message as text, without secrets. */
function send(message: LiveMessage, { clean }: Pick<Io, 'clean'>): void {
  if (process.connected) process.send?.(clean(JSON.stringify(message)), undefined, {}, () => {})
}
