import type { AuditRow } from '../../../reports/load/model/generator.ts'
import { countAbandoned, type OutcomeCounts } from '../metrics/latency-recorder.ts'
import type { Timeline } from '../metrics/timeline.ts'

/** Quantities of Little's law, in the slices from one up to another. */
export function flowOf(slices: Timeline, from: number, to: number) {
  const { ended, residenceNs } = slices.sum(from, to)
  const inFlightAtEnd = slices.inFlightAt(to)
  const ageNs = slices.inFlightNs(0, to) - slices.sum(0, to).residenceNs
  return {
    windowNs: (to - from) * slices.widthNs,
    /** Requests in flight, integrated over the window. */
    inFlightNs: slices.inFlightNs(from, to),
    inFlightAtStart: slices.inFlightAt(from),
    inFlightAtEnd,
    /** Mean time in flight, at the end of the window, of those that end later. */
    meanAgeNs: inFlightAtEnd === 0 ? 0 : ageNs / inFlightAtEnd,
    /** Requests that ended in the window, and their mean time in flight. */
    ended,
    meanResidenceNs: ended === 0 ? 0 : residenceNs / ended,
  }
}

/**
 * `L = lambda W` (Little, Operations Research 9, 1961): the mean number in flight is the rate at which
 * requests end, times their mean time in flight; at most 5 % apart. A lost request, a clock that ran wrong or
 * a window that was cut wrong breaks it.
 *
 * The law is exact in the limit. In a window, the requests in flight at its two edges cause a difference of
 * about `(|N1 - N0| / 2 + 2 sqrt(L)) W` over the integral, with their own `W` if they are the longer ones; if
 * that alone may be 5 %, the audit is inconclusive.
 */
export function littlesLaw(flow: ReturnType<typeof flowOf>): AuditRow {
  const inFlight = flow.inFlightNs / flow.windowNs
  const product = (flow.ended / flow.windowNs) * flow.meanResidenceNs
  const row = { name: 'littles-law', expected: rounded(product), observed: rounded(inFlight) }
  const edges = Math.abs(flow.inFlightAtEnd - flow.inFlightAtStart) / 2 + 2 * Math.sqrt(inFlight)
  const eachNs = Math.max(flow.meanResidenceNs, flow.meanAgeNs)
  if (!((edges * eachNs) / flow.inFlightNs < 0.05)) {
    const message = `The window of ${seconds(flow.windowNs)} is too short for ${inFlight.toFixed(1)} requests in flight of ${seconds(eachNs)} each.`
    return { ...row, verdict: 'not-applicable', message }
  }
  const off = Math.abs(inFlight - product) / inFlight
  const message = `Mean in flight ${inFlight.toFixed(2)}, arrival rate times mean latency ${product.toFixed(2)}: they differ by ${(100 * off).toFixed(1)} %; less than 5 % is allowed.`
  return { ...row, verdict: off < 0.05 ? 'pass' : 'fail', message }
}

/** No request may appear or vanish: each that was dispatched has one outcome. */
export function conservation(outcomes: OutcomeCounts): AuditRow {
  const { requests: dispatched, ok, open } = outcomes
  const [failed, left] = [outcomes.shed + outcomes.failed, countAbandoned(outcomes)]
  const missing = dispatched - ok - failed - open - left
  const law = `${dispatched} dispatched = ${ok} ok + ${failed} failed + ${open} open + ${left} aborted by the client`
  return {
    name: 'conservation-dispatched',
    verdict: missing === 0 ? 'pass' : 'fail',
    expected: dispatched,
    observed: dispatched - missing,
    message: missing === 0 ? `${law}.` : `${law} does not hold: ${missing} unaccounted for.`,
  }
}

/** No timestamp may precede its predecessor. */
export function stampOrder({ requests: records, disordered }: OutcomeCounts): AuditRow {
  const message =
    disordered === 0
      ? `The timestamps of all ${records} requests are in order.`
      : `${disordered} of ${records} requests have a timestamp before the previous one.`
  const verdict = disordered === 0 ? 'pass' : 'fail'
  return { name: 'stamp-order', verdict, expected: 0, observed: disordered, message }
}

function seconds(ns: number): string {
  return Number.isFinite(ns) ? `${(ns / 1e9).toFixed(1)} s` : 'none'
}

function rounded(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : null
}

/** Requests in flight at the start of each, in order of start; refused ones end at NaN. */
export function inFlightAtStart(
  starts: readonly number[],
  endTimes: readonly number[],
): readonly number[] {
  const sorted = Float64Array.from(endTimes.filter((at) => !Number.isNaN(at))).sort()
  let [accepted, ended] = [0, 0]
  return starts.map((at, index) => {
    while ((sorted[ended] ?? Number.POSITIVE_INFINITY) <= at) ended += 1
    const found = accepted - ended
    if (!Number.isNaN(endTimes[index])) accepted += 1
    return found
  })
}
