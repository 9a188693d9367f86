import { maxTimerMs, timerLimitText } from '../../../contract/timer.ts'
import { type MetricName, metricNames } from '../../../reports/load/model/measures.ts'
import { type Clock, type RequestLimit, type Slo, twoClocked } from './slo.ts'

const examples =
  'Expected an SLO such as "ttft.p95 < 500ms", "goodput > 99%", "errors < 1%" or "rate > 10/s".'

/**
 * Reads one SLO:
 *
 *     [response. | service.] METRIC . (pNN | mean)  < | <=  DURATION
 *     goodput [ ( [response. | service.] METRIC < | <= DURATION , … ) ]  > | >=  SHARE %
 *     errors  < | <=  SHARE %
 *     rate | tokens  > | >=  NUMBER /s | /min
 *
 * @throws SloSyntaxError with the place and what is allowed there
 */
export function parseSlo(text: string): Slo {
  const scan = new Scanner(text)
  const slo = readSlo(scan, text.trim())
  if (scan.at < text.length) {
    scan.fail('Expected nothing more. Pass each SLO with its own --slo.')
  }
  return slo
}

/** Reads all SLOs of a run. @throws SloSyntaxError also for two different definitions of goodput */
export function parseSlos(texts: readonly string[]): Slo[] {
  const slos = texts.map(parseSlo)
  const explicit = slos.filter((slo) => slo.kind === 'goodput' && slo.limits !== null)
  const [, second] = explicit
  if (second !== undefined) {
    const allowed = 'Only one goodput of a run may name limits: a request is either good or not.'
    throw new SloSyntaxError(second.expression, second.expression.indexOf('('), allowed)
  }
  return slos
}

/** Words that an SLO begins with, in place of a metric. */
const others = ['goodput', 'errors', 'rate', 'tokens'] as const

function readSlo(scan: Scanner, expression: string): Slo {
  const word = scan.take(/(?:goodput|errors|rate|tokens)\b/)
  switch (word) {
    case 'goodput': {
      const limits = scan.take(/\(/) === '' ? null : readLimits(scan)
      readComparison(scan, word, ['>', '>='])
      return { kind: 'goodput', expression, limits, minShare: shareOf(scan) }
    }
    case 'errors':
      readComparison(scan, word, ['<', '<='])
      return { kind: 'errors', expression, maxShare: shareOf(scan) }
    case 'rate':
    case 'tokens': {
      const inclusive = readComparison(scan, word, ['>', '>='])
      const value = numberOf(scan, 'Expected a rate such as 10/s.')
      const perSecond = value / factorOf(scan, /\/\s*[A-Za-z]+/, rateUnits, 'Expected /s or /min.')
      const of = word === 'rate' ? 'requests' : 'tokens'
      return { kind: 'rate', expression, of, perSecond, inclusive }
    }
    default: {
      const subject = readMetric(scan, true)
      const statistic = readStatistic(scan, subject.metric)
      const limit = readLimit(scan, subject.metric)
      return { kind: 'latency', expression, ...subject, statistic, ...limit }
    }
  }
}

function readMetric(scan: Scanner, isFirst = false): { metric: MetricName; clock: Clock } {
  const start = scan.at
  const word = scan.take(/\w+/)
  if (word === '' && isFirst) scan.fail(examples)
  const prefix = word === 'response' || word === 'service' ? word : null
  if (prefix !== null) scan.need(/\./, `Expected ".", as in ${prefix}.ttft.p95.`)
  const at = prefix === null ? start : scan.at
  const name = prefix === null ? word : scan.take(/\w+/)
  const metric = metricNames.find((metricName) => metricName === name)
  if (metric === undefined) {
    scan.fail(`Expected one of ${[...metricNames, ...(isFirst ? others : [])].join(', ')}.`, at)
  }
  const isTwoClocked = twoClocked.includes(metric)
  if (prefix === 'response' && !isTwoClocked) {
    scan.fail(
      `${metric} starts at an event of the answer, so it has no response time; only ${twoClocked.join(', ')} have one.`,
      start,
    )
  }
  return { metric, clock: prefix ?? (isTwoClocked ? 'response' : 'service') }
}

function readStatistic(scan: Scanner, metric: string): { quantile: number } | 'mean' {
  const expected = `Expected a statistic: ${metric}.p50, ${metric}.p99, ${metric}.p99.9 or ${metric}.mean.`
  scan.need(/\./, expected)
  const at = scan.at
  const name = scan.take(/[A-Za-z]+(\d+(\.\d+)?)?/)
  if (name === 'mean') return 'mean'
  const percentile = /^p(\d+(?:\.\d+)?)$/.exec(name)?.[1]
  if (percentile === undefined) scan.fail(expected, at)
  const quantile = Number((Number(percentile) / 100).toPrecision(12))
  if (quantile <= 0 || quantile >= 1) scan.fail('Expected a percentile between p0 and p100.', at)
  return { quantile }
}

function readLimits(scan: Scanner): RequestLimit[] {
  const limits: RequestLimit[] = []
  do {
    const start = scan.at
    const subject = readMetric(scan)
    if (subject.metric === 'icl') {
      scan.fail(
        'icl measures gaps, of which a request has many; use max_gap to limit the longest.',
        start,
      )
    }
    limits.push({ ...subject, ...readLimit(scan, subject.metric) })
  } while (scan.take(/,/) !== '')
  scan.need(/\)/, 'Expected "," and another limit, or ")".')
  return limits
}

/** `< 500ms`, `<= 1.5 s`. */
function readLimit(scan: Scanner, subject: string): { limitNs: number; inclusive: boolean } {
  const inclusive = readComparison(scan, subject, ['<', '<='])
  const start = scan.at
  const value = numberOf(scan, 'Expected a duration such as 500ms or 3s.')
  const expected = 'Expected a unit of time: us, ms, s or min.'
  const limitNs = Math.round(value * factorOf(scan, /[A-Za-zµμ]+/, nanoseconds, expected))
  if (limitNs > maxTimerMs * 1e6) scan.fail(`A limit ${timerLimitText}.`, start)
  return { limitNs, inclusive }
}

/** Returns true if the limit itself is allowed. */
function readComparison(scan: Scanner, subject: string, allowed: readonly string[]): boolean {
  const at = scan.at
  const sign = scan.take(/[<>=!]+/)
  if (allowed.includes(sign)) return sign.endsWith('=')
  const side = allowed[0] === '<' ? 'an upper' : 'a lower'
  return scan.fail(`Expected ${allowed.join(' or ')}: ${subject} takes ${side} limit.`, at)
}

/** `99.5%`, as 0.995. 0% and 100% are rejected: no sample can show that something never happens. */
function shareOf(scan: Scanner): number {
  const at = scan.at
  const percent = numberOf(scan, 'Expected a share such as 99%.', 0)
  scan.need(/%/, 'Expected "%".')
  if (percent <= 0 || percent >= 100) {
    scan.fail(
      'Expected more than 0% and less than 100%: no sample can show that something always or never happens.',
      at,
    )
  }
  return Number((percent / 100).toPrecision(12))
}

function numberOf(scan: Scanner, expected: string, min = Number.MIN_VALUE): number {
  const at = scan.at
  const value = Number(scan.need(/\d+(\.\d+)?|\.\d+/, expected))
  return value >= min ? value : scan.fail('Expected more than 0.', at)
}

const nanoseconds = new Map(
  Object.entries({ us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, min: 60e9 }),
)
const rateUnits = new Map(Object.entries({ '/s': 1, '/min': 60 }))

function factorOf(
  scan: Scanner,
  form: RegExp,
  factors: ReadonlyMap<string, number>,
  expected: string,
): number {
  const at = scan.at
  return factors.get(scan.take(form).replace(/\s/g, '')) ?? scan.fail(expected, at)
}

/** Reads an expression piece by piece; spaces may separate any two. */
class Scanner {
  /** Index of the next piece. */
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
    this.#read(/\s*/)
  }

  /** The next piece if it has this form, otherwise the empty string. */
  take(form: RegExp): string {
    const found = this.#read(form)
    this.#read(/\s*/)
    return found
  }

  /** The next piece, which must have this form. */
  need(form: RegExp, allowed: string): string {
    return this.take(form) || this.fail(allowed)
  }

  fail(allowed: string, at = this.at): never {
    throw new SloSyntaxError(this.#text, at, allowed)
  }

  #read(form: RegExp): string {
    const sticky = new RegExp(form, 'y')
    sticky.lastIndex = this.at
    const found = sticky.exec(this.#text)?.[0] ?? ''
    this.at += found.length
    return found
  }
}

/** An SLO expression that cannot be parsed: shows the position and what is allowed there. */
export class SloSyntaxError extends Error {
  override readonly name = 'SloSyntaxError'
  readonly expression: string
  /** Index of the first wrong character; the length if something is missing. */
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
