/** A point of parameters with the smallest sum of squared residuals that was found. */
export interface Minimum {
  readonly parameters: readonly number[]
  /** Sum of the squared residuals. */
  readonly cost: number
  /** Lower triangle of the Cholesky factor of the inverse of the normal matrix: of the covariance. */
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
  let normal = normalMatrix(jacobian(residuals, parameters, current, step), current)
  for (let iteration = 0; iteration < iterations; iteration++) {
    const damped = normal.matrix.map((row, at) =>
      row.map((value, column) => (column === at ? value * (1 + damping) + 1e-9 : value)),
    )
    const change = solve(damped, normal.gradient)
    const next = parameters.map((value, at) => value - (change[at] ?? 0))
    const found = residuals(next)
    const gain = squares(current) - squares(found)
    if (gain > 0) {
      parameters = next
      current = found
      damping /= 5
      if (gain < 1e-3 * squares(found)) break
      normal = normalMatrix(jacobian(residuals, parameters, current, step), current)
    } else {
      damping *= 5
      if (damping > 1e4) break
    }
  }
  return {
    parameters,
    cost: squares(current),
    covarianceRoot: cholesky(inverse(normal.matrix)),
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

function normalMatrix(rows: readonly (readonly number[])[], current: readonly number[]) {
  return {
    matrix: rows.map((row) => rows.map((other) => dot(row, other))),
    gradient: rows.map((row) => dot(row, current)),
  }
}

/** Solves a symmetric positive definite system. */
export function solve(
  matrix: readonly (readonly number[])[],
  right: readonly number[],
): readonly number[] {
  const root = cholesky(matrix)
  const forward: number[] = []
  for (const [at, row] of root.entries()) {
    const sum = dot(row.slice(0, at), forward)
    forward.push(((right[at] ?? 0) - sum) / (row[at] ?? 1))
  }
  const solution: number[] = right.map(() => 0)
  for (let at = root.length - 1; at >= 0; at--) {
    let value = forward[at] ?? 0
    for (let below = at + 1; below < root.length; below++) {
      value -= (root[below]?.[at] ?? 0) * (solution[below] ?? 0)
    }
    solution[at] = value / (root[at]?.[at] ?? 1)
  }
  return solution
}

function inverse(matrix: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const ridged = matrix.map((row, at) =>
    row.map((value, column) => (column === at ? value + 1e-9 : value)),
  )
  return matrix.map((_, at) =>
    solve(
      ridged,
      matrix.map((__, row) => (row === at ? 1 : 0)),
    ),
  )
}

/** Lower triangle; a direction that is not positive has the length 1e-9. */
function cholesky(matrix: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const root: number[][] = []
  for (const [at, row] of matrix.entries()) {
    const own: number[] = []
    for (let column = 0; column < at; column++) {
      const above = root[column] ?? []
      own.push(((row[column] ?? 0) - dot(own, above.slice(0, column))) / (above[column] ?? 1))
    }
    own.push(Math.sqrt(Math.max(1e-18, (row[at] ?? 0) - dot(own, own))))
    root.push(own)
  }
  return root
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}

function squares(values: readonly number[]): number {
  return dot(values, values)
}
