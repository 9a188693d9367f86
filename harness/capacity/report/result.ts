/** Result of a search, and what follows from it: headroom, concurrency, tokens. */
import { meanOf } from '../../../contract/averages.ts'
import { type CapacityProbe, loadOf } from '../../../reports/capacity/model/probe.ts'
import type { CapacityReport, CapacityResult } from '../../../reports/capacity/model/report.ts'
import type { Kind } from '../../load/plan/mix.ts'
import { rateWithinBucket, type TokenBucket } from '../policy-limit.ts'
import type { CapacityOptions } from '../probing/load-probe.ts'
import { probeLimits } from '../probing/probe-limits.ts'
import type { Capacity } from '../search.ts'

const confidence = 0.95
/** Probes nearest to the found rate, from which concurrency and tokens are taken. */
const nearestProbes = 5

type ResultOptions = Pick<CapacityOptions, 'arrival' | 'headroom' | 'loop' | 'plan'> & {
  readonly load: Pick<CapacityOptions['load'], 'slos' | 'maxRefusals'>
}

type Interval = readonly [low: number, high: number]

export function resultOf(
  options: ResultOptions,
  capacity: Capacity,
  rows: readonly CapacityProbe[],
): CapacityResult {
  const last = capacity.probes.at(-1)
  const policy = capacity.end === 'policy' ? last?.policy : undefined
  const isClosed = options.loop === 'closed'
  const near = nearest(rows, capacity.rate ?? capacity.highestMet ?? last?.rate ?? null)
  const offered = near.map(({ perSecond, rate }) => perSecond.offered / rate)
  // Mean number of requests of a transaction.
  const each = isClosed || !hasSeveralRequests(options) ? 1 : (meanOf(offered) ?? 1)
  // A closed loop finds a number of clients; the rate is the one that they complete.
  const rateOf = (load: number | null) =>
    load === null ? null : isClosed ? completedAt(rows, load) : load
  const load = policy === undefined ? capacity.rate : null
  const { rate, interval } =
    policy === undefined
      ? { rate: rateOf(load), interval: intervalOf(load, capacity.interval, rateOf) }
      : policyRate(policy, options, each)
  const perUnit = (read: (row: CapacityProbe) => number | null) => {
    const perRequest = meanOf(near.flatMap((row) => perRate(read(row), row)))
    return perRequest === null ? null : each * perRequest
  }
  const residence = perUnit(({ concurrency }) => concurrency)
  const input = perUnit(({ perSecond }) => perSecond.inputTokens)
  const output = perUnit(({ perSecond }) => perSecond.outputTokens) ?? 0
  const isPolicy = policy !== undefined
  return {
    rate,
    interval,
    confidence,
    limitedBy: isPolicy ? (failureLimit(options)?.expression ?? null) : capacity.limitedBy,
    limit: isPolicy ? 'policy' : load === null ? null : 'capacity',
    firstFailing: rateOf(isPolicy ? (last?.rate ?? null) : capacity.lowestMissed),
    highestMet: rateOf(capacity.highestMet),
    by: isPolicy ? 'fit' : capacity.by,
    headroom: rate === null ? null : { share: options.headroom, rate: options.headroom * rate },
    concurrency: isClosed
      ? multiple(load, capacity.interval, 1)
      : multiple(rate, interval, residence),
    tokensPerSecond:
      rate === null ? null : { input: input === null ? null : rate * input, output: rate * output },
  }
}

const severalRequests: readonly Kind[] = ['v2-turn', 'v3-chat']

/** True if transactions of the mix send several requests: the rate of an open loop counts transactions. */
export function hasSeveralRequests({ plan }: Pick<CapacityOptions, 'plan'>): boolean {
  const { mix, idempotencyRaces } = plan
  return idempotencyRaces > 0 || mix.entries.some(({ kind }) => severalRequests.includes(kind))
}

function multiple(
  load: number | null,
  interval: Interval | null,
  factor: number | null,
): CapacityResult['concurrency'] {
  if (load === null || factor === null) return null
  return {
    value: load * factor,
    interval: interval && [interval[0] * factor, interval[1] * factor],
  }
}

/** Policy limit in the report; null if the search did not end at one. */
export function policyOf(
  { end, probes }: Capacity,
  rows: readonly CapacityProbe[],
  headers: Readonly<Record<string, string>>,
): CapacityReport['policyLimit'] {
  const policy = probes.at(-1)?.policy
  if (end !== 'policy' || policy === undefined) return null
  const { burst, refill } = policy
  return {
    ...policy,
    probe: rows.findLast(({ purpose }) => purpose === 'search')?.index ?? 0,
    headers,
    message: `limited by policy, not by capacity: the target refuses beyond ${refill.value.toPrecision(3)} requests per second and a burst of ${Math.round(burst.value)}, while its answers are as fast as without load`,
  }
}

/**
 * Highest rate of transactions at which refusals stay within the allowed share. A rate limit says nothing about a
 * number of clients, which send as fast as they are answered.
 * @param each requests of a transaction
 */
function policyRate({ burst, refill }: TokenBucket, options: ResultOptions, each: number) {
  const allowed = failureLimit(options)?.allowed ?? 0
  const [burstLow, burstHigh] = burst.interval
  const [refillLow, refillHigh] = refill.interval
  const rate = (size: number, perSecond: number) =>
    (options.arrival === 'constant' || options.loop === 'closed'
      ? perSecond / (1 - allowed)
      : rateWithinBucket(size, perSecond, allowed)) / each
  const interval: [number, number] = [rate(burstLow, refillLow), rate(burstHigh, refillHigh)]
  return { rate: rate(burst.value, refill.value), interval }
}

function failureLimit({ load }: ResultOptions) {
  return probeLimits(load.slos, load.maxRefusals).find(({ isFailures }) => isFailures)
}

/** Requests per second that this number of clients completes: by the line through the probes below and above. */
function completedAt(rows: readonly CapacityProbe[], clients: number): number | null {
  const counted = rows.filter(({ valid, purpose }) => valid && purpose === 'search')
  const points = [...Map.groupBy(counted, loadOf)].map(([at, own]) => {
    return { at, completed: meanOf(own.map(({ perSecond }) => perSecond.completed)) ?? 0 }
  })
  const below = points.filter(({ at }) => at <= clients).toSorted((a, b) => b.at - a.at)[0]
  const above = points.filter(({ at }) => at >= clients).toSorted((a, b) => a.at - b.at)[0]
  if (below === undefined || above === undefined || below.at === above.at) {
    return (below ?? above)?.completed ?? null
  }
  const share = (clients - below.at) / (above.at - below.at)
  return below.completed + share * (above.completed - below.completed)
}

/** Rates at a load and at the ends of its interval, sorted: more clients may complete less. */
function intervalOf(
  load: number | null,
  interval: Interval | null,
  rateOf: (load: number | null) => number | null,
): [number, number] | null {
  const rates = [load, ...(interval ?? [])].map(rateOf).filter((rate) => rate !== null)
  return interval === null || rates.length < 2 ? null : [Math.min(...rates), Math.max(...rates)]
}

function nearest(rows: readonly CapacityProbe[], load: number | null) {
  if (load === null) return []
  const distance = (row: CapacityProbe) => Math.abs(Math.log(loadOf(row) / load))
  return rows
    .filter(({ valid, purpose, stopped }) => valid && purpose === 'search' && stopped === null)
    .toSorted((a, b) => distance(a) - distance(b))
    .slice(0, nearestProbes)
}

function perRate(value: number | null, { perSecond }: CapacityProbe): number[] {
  return value === null || perSecond.completed === 0 ? [] : [value / perSecond.completed]
}
