/** Changes of a target during a search: after overload, and with time. */

import type { CapacityProbe } from '../../../contract/report/capacity/probe.ts'
import type { CapacityReport, Drift, Hysteresis } from '../../../contract/report/capacity/report.ts'
import type { Capacity } from '../search.ts'

/** Verdict at one rate after overload, against the probes on the way up; null where none was repeated. */
export function hysteresisOf(
  rows: readonly CapacityProbe[],
  limitedBy: string | null,
): CapacityReport['hysteresis'] {
  const [over, down] = rows.filter(({ purpose }) => purpose === 'hysteresis')
  if (over === undefined || down === undefined || limitedBy === null) return null
  const before = rows.filter(
    ({ purpose, valid, rate }) => purpose === 'search' && valid && rate <= down.rate * 1.02,
  )
  const nearest = before.toSorted((a, b) => b.rate - a.rate)[0]
  const verdict: Hysteresis['verdict'] =
    !down.valid || down.verdict === 'undecided'
      ? 'undecided'
      : down.verdict === 'missed' && nearest?.verdict === 'met'
        ? 'found'
        : 'none'
  const load = down.clients === null ? `${figure(down.rate)}/s` : `${down.clients} clients`
  const messages = {
    found: `${load} was met before an overload of ${figure(over.rate)}/s and missed right after it: the target recovers late.`,
    none: `${load} right after an overload of ${figure(over.rate)}/s is no worse than before.`,
    undecided: `${load} right after an overload of ${figure(over.rate)}/s decides nothing.`,
  }
  return {
    verdict,
    rate: down.rate,
    up: shareOver(nearest, limitedBy),
    down: shareOver(down, limitedBy),
    message: messages[verdict],
  }
}

function shareOver(row: CapacityProbe | undefined, expression: string): number | null {
  const slo = row?.slo.find((each) => each.expression === expression)
  if (slo?.over === null || slo?.over === undefined || !slo.requests) return null
  return slo.over / slo.requests
}

/** A drift is found at this many standard errors. */
const found = 3
const hourMs = 3_600_000

export function driftOf({ drift }: Capacity): Drift | null {
  if (drift === null) return null
  const perHour = Math.expm1(Math.max(-20, Math.min(20, drift.perMs * hourMs)))
  const isFound = Math.abs(drift.z) >= found
  const percent = `${perHour < 0 ? '−' : '+'}${Math.abs(100 * perHour).toFixed(0)} %`
  return {
    verdict: isFound ? 'found' : 'none',
    perHour: isFound ? perHour : null,
    message: isFound
      ? `The capacity changed by ${percent} an hour during the search; the rate is that of its end.`
      : 'No change of the capacity with time is told from noise.',
  }
}

function figure(value: number): string {
  return value.toPrecision(3)
}
