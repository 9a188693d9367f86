/** Times of a service model by linear regression of the work beside single requests. */
import { meanOf, medianOf } from '../../../contract/averages.ts'
import { standardNormal } from '../../load/plan/random.ts'
import {
  cholesky,
  dot,
  inverse,
  nonNegative,
  normalEquations,
} from '../../load/statistics/linear-algebra.ts'
import type { RequestLength } from '../simulation/requests.ts'
import { timeNames as names, type ServiceTimes, type WorkRow } from './observed-work.ts'

/** Error of the timestamps of a row, beside the relative error of its time. */
const stampMs = 3
/** Relative errors beyond this multiple of the usual one count less (Huber). */
const usualErrors = 2
const minError = 1e-3
/** Keeps the covariance finite for times that the rows do not tell apart. */
const ridge = 1e-11
const rounds = 8

type WeightedRow = ReturnType<typeof weightedRows>[number]
export type EstimatedTimes = ReturnType<typeof estimateTimes>

/**
 * The measured time of each row is linear in the times of the model. Errors are relative, as the speed of
 * a target varies.
 * @param probes rows of each probe
 */
export function estimateTimes(probes: readonly (readonly WorkRow[])[]) {
  let solution: readonly number[] | null = null
  let rows: readonly WeightedRow[] = []
  for (let round = 0; round < rounds; round++) {
    rows = weightedRows(probes, solution)
    const values = rows.map(({ value }) => value)
    solution = nonNegative(columnsOf(rows), values)
  }
  const times = solution ?? names.map(() => 0)
  return {
    times: timesOf(times),
    /** Covariance in the order of `timeNames`; large if the rows do not tell the times apart. */
    covariance: covarianceOf(rows, times, probes.length),
  }
}

/** Rows in units of their usual error. */
function weightedRows(probes: readonly (readonly WorkRow[])[], solution: readonly number[] | null) {
  const rows = probes.flatMap((own, probe) =>
    own.map(({ measuredMs, counts: columns }) => {
      const expectedMs = solution === null ? measuredMs : dot(columns, solution)
      const unitMs = expectedMs + stampMs
      return { probe, measuredMs, columns, unitMs, error: (measuredMs - expectedMs) / unitMs }
    }),
  )
  const usual = 1.5 * (medianOf(rows.map(({ error }) => Math.abs(error))) ?? 0)
  return rows.map(({ probe, measuredMs, columns, unitMs, error }) => {
    const large = Math.abs(error) / Math.max(minError, usualErrors * usual)
    const weight = 1 / (unitMs * Math.sqrt(Math.max(1, large)))
    return { probe, columns: columns.map((count) => count * weight), value: measuredMs * weight }
  })
}

function columnsOf(rows: readonly WeightedRow[]) {
  return names.map((_, at) => rows.map(({ columns }) => columns[at] ?? 0))
}

/** The sum of the covariance for independent rows and of that for rows of a probe that vary together. */
function covarianceOf(rows: readonly WeightedRow[], solution: readonly number[], probes: number) {
  const residuals = rows.map(({ columns, value }) => value - dot(columns, solution))
  const { matrix } = normalEquations(columnsOf(rows), [])
  const unit = matrix.map((row, at) => 1 / Math.sqrt(row[at] || 1))
  const scaled = (square: readonly (readonly number[])[]) =>
    square.map((row, at) => row.map((value, other) => value * (unit[at] ?? 0) * (unit[other] ?? 0)))
  const regular = scaled(matrix).map((row, at) =>
    row.map((value, other) => (other === at ? value + ridge : value)),
  )
  const bread = inverse(regular) ?? []
  const degrees = Math.max(1, rows.length - names.length)
  const variance = Math.max(minError ** 2, dot(residuals, residuals) / degrees)
  const scores = Array.from({ length: probes }, () => names.map(() => 0))
  for (const [at, { probe, columns }] of rows.entries()) {
    const own = scores[probe] ?? []
    for (const [index, value] of columns.entries()) {
      own[index] = (own[index] ?? 0) + value * (residuals[at] ?? 0) * (unit[index] ?? 0)
    }
  }
  const moved = scores.map((score) => bread.map((row) => dot(row, score)))
  const together = (at: number, other: number) =>
    moved.reduce((sum, one) => sum + (one[at] ?? 0) * (one[other] ?? 0), 0)
  return scaled(
    bread.map((row, at) => row.map((value, other) => variance * value + together(at, other))),
  )
}

/** Standard error of the work of a mean request in a full batch, as a share of it. */
export function workError(
  { times, covariance }: EstimatedTimes,
  lengths: readonly RequestLength[],
  maxSequences: number,
): number {
  const output = meanOf(lengths.map(({ outputTokens }) => outputTokens)) ?? 0
  const prompt = meanOf(lengths.map(({ promptTokens }) => promptTokens)) ?? 0
  const counts = [output / maxSequences, output, prompt, 0]
  const variances = covariance.map((row) => dot(row, counts))
  const values = names.map((name) => times[name])
  return Math.sqrt(dot(counts, variances)) / dot(counts, values)
}

/** Times drawn from the uncertainty of the estimate. */
export function drawTimes({ times, covariance }: EstimatedTimes, draw: () => number): ServiceTimes {
  const normals = names.map(() => standardNormal(draw(), draw()))
  const root = cholesky(covariance)
  return timesOf(names.map((name, at) => Math.max(0, times[name] + dot(root[at] ?? [], normals))))
}

function timesOf([
  decodeMs = 0,
  decodeMsPerSequence = 0,
  prefillMsPerToken = 0,
  overheadMs = 0,
]: readonly number[]): ServiceTimes {
  return { decodeMs, decodeMsPerSequence, prefillMsPerToken, overheadMs }
}
