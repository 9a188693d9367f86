import {
  cholesky,
  dot,
  inverse,
  normalEquations,
  solve,
} from '../../load/statistics/linear-algebra.ts'

/** A point of parameters with the smallest sum of squared residuals that was found. */
export interface Minimum {
  readonly parameters: readonly number[]
  /** Sum of the squared residuals. */
  readonly cost: number
  /** Cholesky factor of the covariance, which is the inverse of the normal matrix; empty if there is none. */
  readonly covarianceRoot: readonly (readonly number[])[]
}

export interface MinimizeOptions {
  /** Steps that are tried. */
  readonly iterations: number
  /** Step of the finite differences. */
  readonly step: number
}

/** Levenberg and Marquardt's method (Moré 1978), with forward differences. */
export function minimizeSquares(
  residuals: (parameters: readonly number[]) => readonly number[],
  start: readonly number[],
  { iterations, step }: MinimizeOptions,
): Minimum {
  let parameters = start
  let current = residuals(parameters)
  let damping = 0.01
  let normal = normalEquations(jacobian(residuals, parameters, current, step), current)
  for (let iteration = 0; iteration < iterations; iteration++) {
    const damped = normal.matrix.map((row, at) =>
      row.map((value, column) => (column === at ? value * (1 + damping) + 1e-9 : value)),
    )
    const change = solve(damped, normal.right)
    const next = parameters.map((value, at) => value - (change[at] ?? 0))
    const found = residuals(next)
    const gain = squares(current) - squares(found)
    if (gain > 0) {
      parameters = next
      current = found
      damping /= 5
      if (gain < 1e-3 * squares(found)) break
      normal = normalEquations(jacobian(residuals, parameters, current, step), current)
    } else {
      damping *= 5
      if (damping > 1e4) break
    }
  }
  return {
    parameters,
    cost: squares(current),
    covarianceRoot: cholesky(inverse(normal.matrix) ?? []),
  }
}

/** Rows by parameter. */
function jacobian(
  residuals: (parameters: readonly number[]) => readonly number[],
  parameters: readonly number[],
  current: readonly number[],
  step: number,
): readonly (readonly number[])[] {
  return parameters.map((_, at) => {
    const moved = residuals(parameters.map((value, index) => (index === at ? value + step : value)))
    return moved.map((value, index) => (value - (current[index] ?? 0)) / step)
  })
}

function squares(values: readonly number[]): number {
  return dot(values, values)
}
