/** Rows of a small matrix. */
type Matrix = readonly (readonly number[])[]

/** Normal equations of least squares: products of the columns with each other and with the values. */
export function normalEquations(columns: Matrix, values: readonly number[]) {
  return {
    matrix: columns.map((column) => columns.map((other) => dot(column, other))),
    right: columns.map((column) => dot(column, values)),
  }
}

/** Solves a symmetric positive definite system. */
export function solve(matrix: Matrix, right: readonly number[]): readonly number[] {
  return substituted(cholesky(matrix), right)
}

/**
 * Least squares with coefficients that are not negative, by trying each set of those that are not 0.
 * @param columns at most a few
 */
export function nonNegative(columns: Matrix, values: readonly number[]): readonly number[] {
  const { matrix, right } = normalEquations(columns, values)
  let best = { gain: 0, coefficients: columns.map(() => 0) }
  for (let set = 1; set < 2 ** columns.length; set++) {
    const used = columns.flatMap((_, at) => ((set >> at) & 1 ? [at] : []))
    const pick = (row: readonly number[]) => used.map((at) => row[at] ?? 0)
    const found = solve(
      used.map((at) => pick(matrix[at] ?? [])),
      pick(right),
    )
    // The squares that a solution explains.
    const gain = dot(found, pick(right))
    if (found.some((value) => value < 0) || gain <= best.gain) continue
    best = { gain, coefficients: columns.map((_, at) => found[used.indexOf(at)] ?? 0) }
  }
  return best.coefficients
}

/** Inverse of a symmetric positive definite matrix; null if it is singular. */
export function inverse(matrix: Matrix): Matrix | null {
  const root = cholesky(matrix)
  if (root.some((row, at) => (row[at] ?? 0) < 1e-6)) return null
  return matrix.map((_, column) =>
    substituted(
      root,
      matrix.map((__, at) => Number(at === column)),
    ),
  )
}

/** Lower triangular root; a pivot that is not positive is replaced by 1e-9. */
export function cholesky(matrix: Matrix): Matrix {
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

/** Solution by forward and backward substitution. */
function substituted(root: Matrix, right: readonly number[]): readonly number[] {
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

export function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}
