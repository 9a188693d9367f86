import { shorten } from '../../../reports/text/escape.ts'
import { count, figure } from '../../../reports/text/format.ts'
import type { CapacityProgress } from '../../capacity/run.ts'
import { liveReport, progressLine } from '../load/output/live.ts'
import type { Io } from '../terminal/io.ts'
import { noStatus, showStatus } from '../terminal/status.ts'
import { liveSender } from '../ui/live.ts'

/** Shows the progress of a capacity search: what is known so far, and the load run under way. */
export function showCapacityProgress(io: Io, enabled: boolean) {
  if (!enabled) return { ...noStatus, update: () => {} }
  const tell = liveSender(io)
  let latest: CapacityProgress | undefined
  const text = () => (latest === undefined ? 'preparing' : capacityLine(latest))
  const status = showStatus(io, {
    drawn: (width) => shorten(text(), width),
    logged: () => `capacity: ${text()}`,
  })
  return {
    update(progress: CapacityProgress): void {
      latest = progress
      status.refresh()
      const { load } = progress
      tell(() => ({
        report: progress.report(),
        probe: load === null ? null : liveReport(load),
        text: capacityLine(progress),
      }))
    },
    stop: status.stop,
  }
}

/** `probe 7 at 41.2/s, met 38.0, missed 44.1, 312 s of 1200 s; running 12 s of 40 s: …`. */
function capacityLine(progress: CapacityProgress): string {
  const { phase, elapsedMs, budgetMs, probes, rate, met, missed, load } = progress
  const now = { baseline: 'baseline', rest: 'rest', probe: `probe ${probes.length}` }[phase]
  const parts = [
    rate === null ? now : `${now} at ${figure(rate)}`,
    ...(met === null ? [] : [`met ${figure(met)}`]),
    ...(missed === null ? [] : [`missed ${figure(missed)}`]),
    `${count(Math.round(elapsedMs / 1000), 'second')} of ${Math.round(budgetMs / 1000)}`,
  ]
  return `${parts.join(', ')}${load === null ? '' : `; ${progressLine(load)}`}`
}
