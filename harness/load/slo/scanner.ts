import { maxTimerMs, timerLimitText } from '../../../contract/timer.ts'

/** Reads an expression piece by piece; space may stand between any two. */
export class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Index of the next piece. */
  get at(): number {
    this.#at += this.#match(/\s*/y).length
    return this.#at
  }

  get atEnd(): boolean {
    return this.at === this.#text.length
  }

  /** The next piece if it is of this form, and the empty text otherwise. */
  take(form: RegExp): string {
    void this.at
    const found = this.#match(new RegExp(form, 'y'))
    this.#at += found.length
    return found
  }

  fail(allowed: string, at = this.at): never {
    throw new SloSyntaxError(this.#text, at, allowed)
  }

  #match(sticky: RegExp): string {
    sticky.lastIndex = this.#at
    return sticky.exec(this.#text)?.[0] ?? ''
  }
}

/** An SLO expression that cannot be read: points at the place and says what may stand there. */
export class SloSyntaxError extends Error {
  override readonly name = 'SloSyntaxError'
  readonly expression: string
  /** Index of the character at which it goes wrong; the length where something is missing. */
  readonly at: number
  /** Allowed tokens at that position. */
  readonly allowed: string

  constructor(expression: string, at: number, allowed: string) {
    super(`${allowed}\n  ${expression}\n  ${' '.repeat(at)}^`)
    this.expression = expression
    this.at = at
    this.allowed = allowed
  }
}

const nanoseconds: Readonly<Record<string, number>> = {
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  min: 60e9,
}

/** `500ms`, `3s`, `1.5 s`. */
export function nanosecondsOf(scan: Scanner): number {
  const start = scan.at
  const value = numberOf(scan, 'Expected a duration such as 500ms or 3s.')
  const at = scan.at
  const factor = nanoseconds[scan.take(/[A-Za-zµμ]+/)]
  if (factor === undefined) scan.fail('Expected a unit of time: us, ms, s or min.', at)
  const ns = Math.round(value * factor)
  return ns > maxTimerMs * 1e6 ? scan.fail(`A limit ${timerLimitText}.`, start) : ns
}

/** `99.5%`, as 0.995. The ends are refused: no sample can show that something never happens. */
export function shareOf(scan: Scanner): number {
  const at = scan.at
  const percent = numberOf(scan, 'Expected a share such as 99%.', 0)
  if (scan.take(/%/) === '') scan.fail('Expected "%".')
  if (percent <= 0 || percent >= 100) {
    scan.fail(
      'Expected more than 0% and less than 100%: no sample can show that something always or never happens.',
      at,
    )
  }
  return Number((percent / 100).toPrecision(12))
}

/** `10/s`, `600/min`. */
export function perSecondOf(scan: Scanner): number {
  const value = numberOf(scan, 'Expected a rate such as 10/s.')
  const at = scan.at
  const unit = scan.take(/\/\s*[A-Za-z]+/).replace(/\s/g, '')
  if (unit === '/s') return value
  if (unit === '/min') return value / 60
  return scan.fail('Expected /s or /min.', at)
}

function numberOf(scan: Scanner, expected: string, min = Number.MIN_VALUE): number {
  const at = scan.at
  const digits = scan.take(/\d+(\.\d+)?|\.\d+/)
  if (digits === '') scan.fail(expected)
  const value = Number(digits)
  return value >= min ? value : scan.fail('Expected more than 0.', at)
}
