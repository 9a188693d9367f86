/**
 * In how many separate episodes the true values of a series came, in the order of time. Two belong to
 * the same episode unless at least `apart` values between them are false: the runs declustering of
 * extreme-value statistics (Smith & Weissman, J. R. Stat. Soc. B 56, 1994). Null is not known and
 * separates nothing.
 */
export function episodesOf(values: readonly (boolean | null)[], apart = 10): number {
  let episodes = 0
  let since = Number.POSITIVE_INFINITY
  for (const value of values) {
    if (value === null) continue
    if (!value) since += 1
    else {
      if (since >= apart) episodes += 1
      since = 0
    }
  }
  return episodes
}
