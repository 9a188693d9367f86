import type { ArrivalRow, LoadReport } from '../../contract/report/load/report.ts'
import { seconds } from '../text/format.ts'

/** Phrases on the plan and the measured window, shared by the forms of a load report. */

/** `poisson, 20/s`. */
export function arrivalText(arrival: ArrivalRow): string {
  switch (arrival.kind) {
    case 'ramp':
      return `${arrival.process} ramp from ${arrival.from}/s to ${arrival.to}/s over ${arrival.overMs / 1000} s`
    case 'steps':
      return `${arrival.process} steps ${arrival.steps.map(({ perSecond, forMs }) => `${perSecond}/s for ${forMs / 1000} s`).join(', ')}`
    case 'closed':
      return `closed loop of ${arrival.concurrency} clients`
    case 'trace':
      return `replay of ${arrival.file}`
    default:
      return `${arrival.kind}, ${arrival.perSecond}/s`
  }
}

/** `poisson, 20/s, for 30 s; mix v3; seed x; shard 1 of 4; plan 0123456789ab`. */
export function planText({ plan, seed }: LoadReport): string {
  const { arrival, durationMs, mix, shard, hash } = plan
  return [
    `${arrivalText(arrival)}, for ${seconds(durationMs)}`,
    `mix ${mix}`,
    `seed ${seed}`,
    ...(shard === null ? [] : [`shard ${shard.index}/${shard.of}`]),
    `plan ${hash.slice(0, 12)}`,
  ].join('; ')
}

export function windowText({ window }: Pick<LoadReport, 'window'>): string {
  const { fromMs, toMs, method, steady } = window
  return `${seconds(fromMs)} to ${seconds(toMs)} of the run (${method}); ${steady.verdict}: ${steady.message}`
}
