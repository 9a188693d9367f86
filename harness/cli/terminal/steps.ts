import { shorten } from '../../../reports/text/escape.ts'
import { durationText } from './estimate.ts'
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
