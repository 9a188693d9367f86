import { createRandomPicker } from '../../harness/conformance/session/identities.ts'
import type { Disturbance, ReceivedRequest } from '../../harness/proof/test-support/rough-road.ts'

/** The requests of a run that a proxy disturbs, and how. */
export interface Schedule {
  readonly name: string
  /** Share of the requests that are disturbed, by default; none if the requests are counted. */
  readonly share?: number
  /** Silence, in milliseconds, after which the suites give up on an answer. */
  readonly timeoutMs: number
  /** Expected in the outcome of the report: the run must say what stopped it. */
  readonly says?: RegExp
  /** Chooses the disturbance of each request of a run on arrival. */
  disturbances(seed: string, share: number): (request: ReceivedRequest) => Disturbance | undefined
}

const silentMs = 1_500

const losses: readonly Disturbance[] = [
  { kind: 'status', status: 502 },
  { kind: 'status', status: 504, asks: true },
  { kind: 'status', status: 503 },
  { kind: 'drop' },
  { kind: 'drop', asks: true },
  { kind: 'silence' },
  { kind: 'silence', asks: true },
  { kind: 'delay', ms: silentMs / 2 },
]

/** Answers of fronts that say nothing about the service behind them, one at a time. */
const oddAnswers: readonly Disturbance[] = [
  { kind: 'status', status: 421 },
  { kind: 'status', status: 421, form: 'json' },
  { kind: 'status', status: 408, closes: true },
  { kind: 'status', status: 425 },
  { kind: 'status', status: 404 },
  { kind: 'status', status: 403 },
  { kind: 'status', status: 401, form: 'json' },
  { kind: 'status', status: 404, form: 'json' },
  { kind: 'status', status: 500, form: 'json' },
  { kind: 'status', status: 500, form: 'json', asks: true },
  { kind: 'status', status: 200 },
  { kind: 'cut', afterBytes: 20 },
  { kind: 'cut', afterBytes: 1_500 },
  { kind: 'drop' },
  { kind: 'drop', asks: true },
]

const timeoutMs = 10_000

export const undisturbed: Schedule = {
  name: 'nothing',
  timeoutMs,
  disturbances: () => () => undefined,
}

const goneRoutes = /from x\d+ on, routes that were there are gone/

/** Ends of a service: what the outcome says, the first disturbed request, and how it and all later ones are disturbed. */
const breakdowns: Readonly<Record<string, readonly [says: RegExp, first: number, Disturbance]>> = {
  'the key expires': [
    /from x\d+ on, the key that was accepted before is refused/,
    300,
    { kind: 'status', status: 401, form: 'json' },
  ],
  'maintenance begins': [
    /from x\d+ on, every answer is an HTML page/,
    200,
    { kind: 'status', status: 200 },
  ],
  'the routes go': [goneRoutes, 250, { kind: 'status', status: 404, form: 'json' }],
  'the routes go early': [goneRoutes, 190, { kind: 'status', status: 404, form: 'json' }],
  'the process ends in mid-stream': [
    /ECONNREFUSED/,
    300,
    { kind: 'cut', afterBytes: 600, last: true },
  ],
}

export const schedules: readonly Schedule[] = [
  { name: 'losses', share: 0.06, timeoutMs: silentMs, disturbances: drawn(losses) },
  { name: 'odd answers', share: 0.01, timeoutMs, disturbances: drawn(oddAnswers) },
  ...Object.entries(breakdowns).map(([name, [says, first, kind]]) => ({
    ...{ name, timeoutMs, says },
    disturbances: fromRequest(first, kind),
  })),
]

/** The same request of a run is disturbed in the same way at any time. */
function drawn(kinds: readonly Disturbance[]): Schedule['disturbances'] {
  return (seed, share) => {
    const times = new Map<string, number>()
    return ({ method, path, headers }) => {
      const place = `${headers['x-request-id'] ?? `${method} ${path}`}`
      const time = (times.get(place) ?? 0) + 1
      times.set(place, time)
      const pick = createRandomPicker(`${seed}/${place}/${time}`)
      return pick(10_000) < 10_000 * share ? kinds[pick(kinds.length)] : undefined
    }
  }
}

/** Disturbs all requests from one on; only streams can be cut. */
function fromRequest(first: number, kind: Disturbance): Schedule['disturbances'] {
  return () => {
    let received = 0
    return ({ body }) => {
      received += 1
      const fits = kind.kind !== 'cut' || body.includes('"stream":true')
      return received >= first && fits ? kind : undefined
    }
  }
}
