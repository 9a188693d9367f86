/** Demand as it is given on the command line. */
export type Demand =
  | { readonly kind: 'rate'; readonly perSecond: number }
  | { readonly kind: 'concurrency'; readonly users: number }
  | { readonly kind: 'file'; readonly path: string }

export class DemandSyntaxError extends Error {
  override readonly name = 'DemandSyntaxError'
}

/**
 * Reads `concurrency=600`, `rate=90/s`, `rate=5400/min` or the path of a trace.
 *
 * @throws DemandSyntaxError
 */
export function parseDemand(text: string): Demand {
  const given = text.trim()
  const [, name, value = ''] = /^(concurrency|rate)\s*=\s*(.*)$/.exec(given) ?? []
  if (name === 'concurrency') {
    const users = Number(value)
    if (/^\d{1,9}$/.test(value) && users >= 1) return { kind: 'concurrency', users }
    throw new DemandSyntaxError(
      `cannot read "${given}": expected a whole number of users, such as concurrency=600`,
    )
  }
  if (name === 'rate') {
    const [, digits, unit] = /^(\d{1,9}(?:\.\d+)?)\s*\/\s*(s|min|h)$/.exec(value) ?? []
    const perSecond = Number(digits) / (unit === 'h' ? 3600 : unit === 'min' ? 60 : 1)
    if (perSecond > 0) return { kind: 'rate', perSecond }
    throw new DemandSyntaxError(
      `cannot read "${given}": expected a rate such as rate=90/s, rate=5400/min or rate=300000/h`,
    )
  }
  if (given === '' || (/^\w+\s*=/.test(given) && !given.includes('/'))) {
    throw new DemandSyntaxError(
      `cannot read "${given}": expected concurrency=600, rate=90/s or the file of a trace`,
    )
  }
  return { kind: 'file', path: given }
}

/** A price for each replica. */
export interface Price {
  readonly perHour: number
  /** Empty where none was given. */
  readonly currency: string
}

/**
 * Reads `2.40/h`, `$2.40/h`, `2.40 EUR/h` or `1750/month`.
 *
 * @throws DemandSyntaxError
 */
export function parsePrice(text: string): Price {
  const [, before = '', digits, after = '', unit] =
    /^([$€£]|[A-Z]{3}\s)?(\d{1,9}(?:\.\d+)?)\s*([$€£]|[A-Z]{3})?\s*\/\s*(h|month)$/.exec(
      text.trim(),
    ) ?? []
  if (digits === undefined) {
    throw new DemandSyntaxError(`cannot read the price "${text}": expected one such as 2.40/h`)
  }
  const perHour = Number(digits) / (unit === 'month' ? hoursPerMonth : 1)
  return { perHour, currency: (before || after).trim() }
}

/** A year has 8,760 hours. */
export const hoursPerMonth = 730
