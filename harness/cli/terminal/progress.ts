import { shorten } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import type { Progress } from '../../conformance/progress.ts'
import { liveSender } from '../ui/live.ts'
import type { Io } from './io.ts'
import { noStatus, showStatus } from './status.ts'
import { timeLeft } from './steps.ts'

/**
 * Shows the progress of a conformance run. Violations are counted as the report counts them, except that a
 * requirement may still turn out to be blocked by another.
 */
export function showProgress(io: Io, enabled: boolean) {
  if (!enabled) return { ...noStatus, update: () => {} }
  const startedAt = performance.now()
  const tell = liveSender(io)
  let latest: Progress | undefined
  const status = showStatus(io, {
    drawn: (width) => shorten(latest === undefined ? 'starting' : drawnText(latest), width),
    logged: () => `check: ${loggedText()}`,
  })
  return {
    update(progress: Progress): void {
      latest = progress
      status.refresh()
      tell(() => ({ report: progress.report(), text: drawnText(progress) }))
    },
    stop: status.stop,
  }

  function drawnText(progress: Progress): string {
    return `${[...numbers(progress), ...left(progress)].join(', ')}: ${progress.scenario}`
  }

  function loggedText(): string {
    const elapsed = `${Math.round((performance.now() - startedAt) / 1000)} s`
    if (latest === undefined) return `no scenario finished yet, ${elapsed}`
    const requests = count(latest.cost.requests, 'request')
    return [...numbers(latest), requests, elapsed, ...left(latest)].join(', ')
  }

  function left({ share }: Progress): readonly string[] {
    const text = timeLeft({ elapsedMs: performance.now() - startedAt, share })
    return text === null ? [] : [text]
  }
}

function numbers(progress: Progress): readonly string[] {
  const { done, total, exploring, retries, requirements } = progress
  const violated = requirements().filter(({ verdict }) => verdict === 'fail').length
  return [
    exploring === undefined
      ? `${done}/${total} scenarios`
      : `exploring ${exploring.done} of ${exploring.of}`,
    ...(violated === 0 ? [] : [`${violated} violated`]),
    ...(retries === 0 ? [] : [retries === 1 ? '1 retry' : `${retries} retries`]),
  ]
}
