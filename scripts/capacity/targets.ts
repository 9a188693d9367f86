/** Simulated targets whose capacity is known, as probes of a search. */
import { independentShare, type LimitCount } from '../../harness/capacity/probe.ts'
import { defaultEngine, simulate } from '../../reference-server/engine/engine.ts'
import { type Draw, seededDraw } from '../../reference-server/runtime/random.ts'

export interface SimulatedTarget {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Simulates requests at a rate; true for each over the limit, in order of arrival. */
  readonly run: (rate: number, draw: Draw, probe: number, requests: number) => readonly boolean[]
  readonly allowed: number
  /** Smallest difference of two loads: 1 for clients of a closed loop. */
  readonly step?: number
  /** True if the capacity falls with each probe. */
  readonly drifts?: boolean
  /** Share over the limit in the long run, if a formula gives it; simulated if none does. */
  readonly share?: (rate: number, probe: number) => number
}

const exponential = (draw: Draw, mean: number) => -mean * Math.log(1 - draw())

/** M/M/c, milliseconds: response times of this number of requests. */
function queue(rate: number, draw: Draw, servers: number, serviceMs: number, requests: number) {
  const freeAt = new Array<number>(servers).fill(0)
  let now = 0
  return Array.from({ length: requests }, () => {
    now += exponential(draw, 1000 / rate)
    const first = indexOfLeast(freeAt)
    const end = Math.max(now, freeAt[first] ?? 0) + exponential(draw, serviceMs)
    freeAt[first] = end
    return end - now
  })
}

/** Clients without think time and four servers, first come first served: response times in milliseconds. */
function closedQueue(clients: number, draw: Draw, serviceMs: number, requests: number) {
  const readyAt = new Array<number>(clients).fill(0)
  const freeAt = new Array<number>(4).fill(0)
  return Array.from({ length: requests }, () => {
    const client = indexOfLeast(readyAt)
    const server = indexOfLeast(freeAt)
    const start = readyAt[client] ?? 0
    const end = Math.max(start, freeAt[server] ?? 0) + exponential(draw, serviceMs)
    readyAt[client] = end
    freeAt[server] = end
    return end - start
  })
}

function indexOfLeast(times: readonly number[]): number {
  return times.reduce((first, time, index) => (time < (times[first] ?? 0) ? index : first), 0)
}

/** Share of response times over a limit in M/M/c, first come first served (Gross & Harris, Fundamentals of Queueing Theory). */
function shareOver(rate: number, servers: number, serviceMs: number, limitMs: number): number {
  const load = (rate * serviceMs) / 1000
  if (load >= servers) return 1
  let term = 1
  let sum = 1
  for (let n = 1; n < servers; n++) {
    term *= load / n
    sum += term
  }
  const all = ((term * load) / servers) * (servers / (servers - load))
  const waits = all / (sum + all)
  const served = Math.exp(-limitMs / serviceMs)
  const free = servers - 1 - load
  return served * (1 + (waits * (1 - Math.exp((-limitMs / serviceMs) * free))) / free)
}

/** Mean over a standard normal, by the midpoint rule. */
function overNormal(value: (z: number) => number): number {
  let [sum, weights] = [0, 0]
  for (let z = -5; z <= 5; z += 0.02) {
    const weight = Math.exp((-z * z) / 2)
    sum += weight * value(z)
    weights += weight
  }
  return sum / weights
}

function normal(draw: Draw): number {
  return Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
}

export const targets: readonly SimulatedTarget[] = [
  {
    name: 'M/M/4, p95 of the response time',
    min: 2,
    max: 500,
    allowed: 0.05,
    share: (rate) => shareOver(rate, 4, 100, 500),
    run: (rate, draw, _, n) => queue(rate, draw, 4, 100, n).map((ms) => ms > 500),
  },
  {
    name: 'continuous batching, p95 of the first token',
    min: 0.5,
    max: 100,
    allowed: 0.05,
    run: (rate, draw, _, n) => {
      let atMs = 0
      const requests = Array.from({ length: n }, () => {
        atMs += exponential(draw, 1000 / rate)
        return {
          atMs,
          promptTokens: 20 + Math.floor(draw() * 180),
          outputTokens: 10 + Math.floor(exponential(draw, 60)),
        }
      })
      return simulate(defaultEngine, requests).map(
        (answer) => answer === null || answer.ttftMs > 400,
      )
    },
  },
  {
    name: 'a cliff: everything fails beyond 80 a second',
    min: 2,
    max: 1000,
    allowed: 0.01,
    run: (rate, draw, _, n) => Array.from({ length: n }, () => draw() < (rate > 80 ? 0.9 : 0.002)),
  },
  {
    name: 'a noisy neighbor: M/M/4 whose speed changes by 5 % from probe to probe',
    min: 2,
    max: 500,
    allowed: 0.05,
    share: (rate) => overNormal((z) => shareOver(rate, 4, 100 * Math.exp(0.05 * z), 500)),
    run: (rate, draw, _, n) => {
      const serviceMs = 100 * Math.exp(0.05 * normal(draw))
      return queue(rate, draw, 4, serviceMs, n).map((ms) => ms > 500)
    },
  },
  {
    name: 'a leak: M/M/4 that slows down by 0.4 % with each probe',
    min: 2,
    max: 500,
    allowed: 0.05,
    drifts: true,
    share: (rate, probe) => shareOver(rate, 4, 100 * 1.004 ** probe, 500),
    run: (rate, draw, probe, n) =>
      queue(rate, draw, 4, 100 * 1.004 ** probe, n).map((ms) => ms > 500),
  },
  {
    name: 'a closed loop: clients of M/M/4, p95 of the response time',
    min: 1,
    max: 200,
    step: 1,
    allowed: 0.05,
    run: (clients, draw, _, n) =>
      closedQueue(Math.round(clients), draw, 100, n).map((ms) => ms > 1000),
  },
  {
    name: 'a rate limit of 40 a second, bursts of 20',
    min: 2,
    max: 500,
    allowed: 0.01,
    run: (rate, draw, _, n) => {
      let tokens = 20
      return Array.from({ length: n }, () => {
        const wait = exponential(draw, 1000 / rate)
        tokens = Math.min(20, tokens + wait * 0.04)
        if (tokens < 1) return true
        tokens -= 1
        return false
      })
    },
  },
]

const warmUp = 0.15

export function limitOf(over: readonly boolean[], allowed: number): LimitCount {
  const series = over.slice(Math.floor(over.length * warmUp)).map(Number)
  const requests = series.length
  return {
    slo: 'simulated',
    allowed,
    requests,
    over: series.reduce((sum, value) => sum + value, 0),
    independent: independentShare(series),
  }
}

/** The rate at which the long-run share over the limit equals the allowed one, by bisection. */
export function trueCapacity(target: SimulatedTarget, probe: number, requests: number): number {
  let [low, high] = [target.min, target.max]
  for (let step = 0; step < 22; step++) {
    const rate = Math.sqrt(low * high)
    const share = target.share?.(rate, probe) ?? simulatedShare(target, rate, probe, requests)
    if (share <= target.allowed) low = rate
    else high = rate
  }
  return Math.sqrt(low * high)
}

const runs = 40

function simulatedShare(target: SimulatedTarget, rate: number, probe: number, requests: number) {
  let [over, all] = [0, 0]
  for (let run = 0; run < runs; run++) {
    const draw = seededDraw(1, target.name, String(run))
    const result = target.run(rate, draw, probe, Math.ceil(requests / runs))
    const steady = result.slice(Math.floor(result.length * warmUp))
    over += steady.filter(Boolean).length
    all += steady.length
  }
  return over / all
}
