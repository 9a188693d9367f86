import { shorten } from '../../../reports/text/escape.ts'
import { durationText } from '../check/estimate.ts'
import type { Io } from './io.ts'
import { noStatus, type Status, showStatus } from './status.ts'

export interface StepOptions {
  /** Leads its lines in a log. */
  readonly name: string
  readonly wanted?: boolean
  /** How long the whole of it takes, in milliseconds, where that is known before. */
  readonly expectedMs?: number
  /** Steps that last: each has a line of its own in a log. */
  readonly everyStep?: boolean
}

export interface Steps extends Pick<Status, 'stop'> {
  readonly step: (what: string) => void
}

/** What a short command is doing at the moment, step by step. */
export function showSteps(io: Io, options: StepOptions): Steps {
  const { name, wanted = true, expectedMs, everyStep = false } = options
  if (!wanted) return { ...noStatus, step: () => {} }
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
    step(what) {
      latest = what
      if (everyStep && !io.terminal) io.err(`${name}: ${what}`)
      status.refresh()
    },
    stop: status.stop,
  }

  function left(): readonly string[] {
    const ms = (expectedMs ?? 0) - elapsedMs()
    return ms > 0 ? [`about ${durationText(ms)} left`] : []
  }
}
