import { shorten } from '../../reports/text.ts'
import type { Io } from './io.ts'
import { showStatus } from './status.ts'

/** What a short command is doing at the moment, step by step; `name` leads its lines in a log. */
export function showSteps(io: Io, name: string) {
  const startedAt = performance.now()
  let latest = 'starting'
  const status = showStatus(io, {
    short: true,
    drawn: (width) => shorten(latest, width),
    logged: () => `${name}: ${latest}, ${Math.round((performance.now() - startedAt) / 1000)} s`,
  })
  return {
    step(what: string): void {
      latest = what
      status.refresh()
    },
    stop: status.stop,
  }
}
