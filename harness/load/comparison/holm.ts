/**
 * Hypotheses that are rejected with a family-wise error of at most `error`, whatever their dependence
 * (Holm, Scandinavian Journal of Statistics 6, 1979).
 */
export function holm(pValues: readonly number[], error: number): readonly boolean[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p)
  const rejected = new Array<boolean>(pValues.length).fill(false)
  for (const [rank, { p, index }] of order.entries()) {
    if (p > error / (pValues.length - rank)) break
    rejected[index] = true
  }
  return rejected
}
