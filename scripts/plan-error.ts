/**
 * Errors of plans from simulated measurements. Reports of replicas whose times are known are fitted; the plan of two is
 * compared with a simulation of two. `npm run engines -- --queue` measures processes instead.
 *
 *   node scripts/plan-error.ts [--seeds 20] [--replicas 1] [--drift 0.1] [--only TEXT]
 *
 * Shows the median and the largest error of all seeds, and the number of seeds whose interval contains the truth. `--replicas`
 * are measured together; `--drift` varies their speed from probe to probe, as a share.
 */
import { medianOf } from '../contract/averages.ts'
import { standardNormal } from '../harness/load/plan/random.ts'
import { parseSlo } from '../harness/load/slo/parse.ts'
import { fitServiceModel } from '../harness/plan/fit/fit.ts'
import { predictRun } from '../harness/plan/predict.ts'
import { drawOf } from '../harness/plan/simulation/requests.ts'
import { quantile } from '../harness/plan/simulation/simulate.ts'
import { rowOf } from '../harness/plan/sizing.ts'
import {
  requestsOfLengths,
  simulatedReport,
} from '../harness/plan/test-support/simulated-report.ts'
import { percent } from '../reports/text/format.ts'
import { optionsOf } from './options.ts'

type Range = readonly [min: number, max: number]

interface Target {
  readonly name: string
  readonly engine: { maxNumSeqs: number; decodeMs: number; decodeMsPerSeq: number }
  readonly prefillMsPerToken: number
  /** Lengths in tokens, uniform. */
  readonly prompt: Range
  readonly answer: Range
  /** Requests per second of one replica within its SLO. */
  readonly capacity: number
}

const targets: readonly Target[] = [
  {
    ...{ name: '32 × (80 + 2n)', prefillMsPerToken: 0.1, prompt: [14, 90], answer: [2, 6] },
    ...{ engine: { maxNumSeqs: 32, decodeMs: 80, decodeMsPerSeq: 2 }, capacity: 43 },
  },
  {
    ...{ name: '4 × (0.3 + 2.2n)', prefillMsPerToken: 0.45, prompt: [60, 500], answer: [2, 12] },
    ...{ engine: { maxNumSeqs: 4, decodeMs: 0.3, decodeMsPerSeq: 2.2 }, capacity: 5.25 },
  },
  {
    ...{ name: '8 × (12 + 0.5n)', prefillMsPerToken: 0.4, prompt: [20, 180], answer: [10, 150] },
    ...{ engine: { maxNumSeqs: 8, decodeMs: 12, decodeMsPerSeq: 0.5 }, capacity: 3.7 },
  },
]
/** Rates of a search, as shares of the capacity: bracket, narrowing, overload and recovery. */
const searched = [0.125, 0.25, 0.5, 1, 2, 1.41, 1.19]
const narrowed = Array.from({ length: 8 }, (_, at) => 0.92 + 0.02 * at)
const rateShares = [...searched, ...narrowed, 1.5, 0.9]
const shares = [0.6, 0.9] as const
const overheadMs = 2
const balance = 'round-robin'
const values = optionsOf(import.meta, { seeds: 20, replicas: 1, drift: 0, only: '' })

/** Requests of a true simulation: the p95 at 90 % of 8 × (12 + 0.5n) has a deviation of 4 %. */
const requests = 250_000

function loadOf({ capacity }: Target, share: number) {
  const pieces = [{ fromMs: 0, perSecond: 2 * share * capacity }]
  return { kind: 'open', pieces, untilMs: Number.MAX_VALUE } as const
}

function lengthsOf({ prompt, answer }: Target) {
  const uniform = ([min, max]: Range, draw: number) => min + Math.floor(draw * (max - min + 1))
  return requestsOfLengths((draw) => ({
    promptTokens: uniform(prompt, draw()),
    outputTokens: uniform(answer, draw()),
  }))
}

/** True p95 of the first token of two replicas, milliseconds. */
function truthOf(target: Target, share: number): number {
  const { maxNumSeqs, decodeMs, decodeMsPerSeq } = target.engine
  const model = {
    ...{ maxSequences: maxNumSeqs, maxWaiting: 1000, overheadMs, decodeMs },
    ...{ prefillMsPerToken: target.prefillMsPerToken, decodeMsPerSequence: decodeMsPerSeq },
    ...{ prefillMs: 0, spread: 0 },
  }
  const lengths = [...lengthsOf(target)(1000, 60_000, 'truth')]
  const size = { replicas: 2, balance, lengths, requests, seed: 'truth' } as const
  return quantile(predictRun(model, loadOf(target, share), size).latencies.ttft, 0.95)
}

function fittedFrom(target: Target, seed: string) {
  const { engine, prefillMsPerToken, capacity } = target
  const draw = drawOf(seed, 'speed')
  const { drift, replicas } = values
  const report = simulatedReport({
    ...{ engine: { ...engine, prefillMsPerToken, maxWaiting: 1000 }, requests: lengthsOf(target) },
    ...{ rates: rateShares.map((share) => share * capacity * replicas), durationMs: 8000 },
    ...{
      overheadMs,
      seed,
      replicas,
      speedOf: () => Math.exp(drift * standardNormal(draw(), draw())),
    },
  })
  return fitServiceModel(report, { replicas, balance })
}

/** Error of the planned p95 at each share of the capacity, and whether its interval contains the truth. */
function planned(target: Target, truths: readonly number[], seed: string) {
  const fitted = fittedFrom(target, seed)
  const slos = [parseSlo('ttft.p95 < 500ms')]
  const rows = shares.map((share, at) => {
    const workload = loadOf(target, share)
    const options = { fitted, lengths: fitted.lengths, slos, balance, seed, assess: null } as const
    const [slo] = rowOf({ ...options, workload }, 2).slo
    const truth = truths[at] ?? Number.NaN
    const isHeld = (slo?.low ?? Number.NaN) <= truth && truth <= (slo?.high ?? Number.NaN)
    return { error: Math.abs((slo?.value ?? Number.NaN) / truth - 1), isHeld }
  })
  return { rows, batch: fitted.model.maxSequences }
}

for (const target of targets.filter(({ name }) => name.includes(values.only))) {
  const truths = shares.map((share) => truthOf(target, share))
  const plans = Array.from({ length: values.seeds }, (_, at) => planned(target, truths, `s${at}`))
  const batches = plans.filter(({ batch }) => batch === target.engine.maxNumSeqs)
  const figures = shares.map((share, at) => {
    const errors = plans.map(({ rows }) => rows[at]?.error ?? Number.NaN)
    const held = plans.filter(({ rows }) => rows[at]?.isHeld === true).length
    return `p95 at ${percent(share)} ${percent(medianOf(errors) ?? Number.NaN)}, at most ${percent(Math.max(...errors))}, ${held} hold ${(truths[at] ?? 0).toFixed(0)} ms`
  })
  console.log(`${target.name}  batch ${batches.length} of ${plans.length}; ${figures.join('; ')}`)
}
