import { shorten } from '../../../reports/text/escape.ts'
import type { Io } from './io.ts'
import { noStatus, type Status, showStatus } from './status.ts'

export interface StepOptions {
  /** Prefix of its lines in a log. */
  readonly name: string
  readonly enabled?: boolean
  /** Expected duration in milliseconds, if known. */
  readonly expectedMs?: number
  /** Steps are long: each has its own line in a log. */
  readonly everyStep?: boolean
}

export interface Steps extends Pick<Status, 'stop'> {
  readonly step: (description: string) => void
}

/** Shows the steps of a short command. */
export function showSteps(io: Io, options: StepOptions): Steps {
  const { name, enabled = true, expectedMs, everyStep = false } = options
  if (!enabled) return { ...noStatus, step: () => {} }
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
    step(description) {
      latest = description
      if (everyStep && !io.terminal) io.err(`${name}: ${description}`)
      status.refresh()
    },
    stop: status.stop,
  }

  function left(): readonly string[] {
    const ms = (expectedMs ?? 0) - elapsedMs()
    return ms > 0 ? [`about ${durationText(ms)} left`] : []
  }
}

/** An estimate before this share of the work, or this time, would be a guess. */
const minShare = 0.05
const minMs = 2000

/** `about 40 s left`, from the share of the work that is done; null while it is too early to estimate. */
export function timeLeft({
  elapsedMs,
  share,
}: {
  elapsedMs: number
  share: number
}): string | null {
  if (share < minShare || share >= 1 || elapsedMs < minMs) return null
  return `about ${durationText((elapsedMs * (1 - share)) / share)} left`
}

/** Rounds up to five seconds, and from two minutes on to a minute. */
export function durationText(ms: number): string {
  const seconds = Math.max(5, Math.ceil(ms / 5000) * 5)
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
