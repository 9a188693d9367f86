import { shorten } from '../../../reports/text/escape.ts'
import { count, figure } from '../../../reports/text/format.ts'
import type { CapacityProgress } from '../../capacity/run.ts'
import { liveReport, progressLine } from '../load/output/live.ts'
import type { Io } from '../terminal/io.ts'
import { showLatest } from '../terminal/progress.ts'

/** Shows the progress of a capacity search: what is known so far, and the load run under way. */
export function showCapacityProgress(io: Io, enabled: boolean) {
  const text = (latest: CapacityProgress | undefined) =>
    latest === undefined ? 'preparing' : capacityLine(latest)
  return showLatest<CapacityProgress>(io, enabled, {
    drawn: (latest, width) => shorten(text(latest), width),
    logged: (latest) => `capacity: ${text(latest)}`,
    live: (latest) => ({
      report: latest.report(),
      probe: latest.load === null ? null : liveReport(latest.load),
      text: capacityLine(latest),
    }),
  })
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
