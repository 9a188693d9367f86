import { type Badge, type Fact, filledFacts } from '../document/document.ts'
import { clean } from '../text/escape.ts'
import { count, figure, joinPhrases, percent, seconds, withRange } from '../text/format.ts'
import { type CapacityReport, loadEstimate } from './model/report.ts'

/** Wording of the answer of a capacity search, for every report format. */

/** `42.1 req/s [39.8, 43.5] at 95 %, limited by ttft.p95 < 1s; first failing rate 44.0; at 70 % headroom 29.5`. */
export function answerText(report: CapacityReport): string {
  return joinPhrases([answerOf(report), stateOf(report)])
}

export function capacityBadge({ outcome, interrupted }: CapacityReport): Badge {
  return interrupted ? { word: 'Interrupted', tone: 'unproven' } : badges[outcome]
}

const badges: Readonly<Record<CapacityReport['outcome'], Badge>> = {
  found: { word: 'Found', tone: 'pass' },
  'above max': { word: 'Above the maximum', tone: 'pass' },
  'below min': { word: 'Below the minimum', tone: 'fail' },
  undecided: { word: 'Undecided', tone: 'unproven' },
  violated: { word: 'Violated', tone: 'fail' },
  invalid: { word: 'Invalid', tone: 'none' },
  unreachable: { word: 'Unreachable', tone: 'none' },
}

function answerOf(report: CapacityReport): string {
  const { result, config, loop, outcome } = report
  const { rate, interval, limit, firstFailing, highestMet, headroom } = result
  const limiting = limitText(result)
  if (outcome === 'below min') {
    return `below ${load(config.min, loop)}, the minimum of the search, ${limiting}`
  }
  if (report.loop === 'closed' && result.concurrency !== null) return clientsText(report)
  if (outcome === 'undecided' && interval !== null && rate !== null) {
    return `between ${figure(interval[0])} and ${rateText(interval[1])}, ${limiting}; best estimate ${figure(rate)}`
  }
  if (rate === null) {
    if (highestMet !== null && firstFailing !== null) {
      return `between ${figure(highestMet)} and ${rateText(firstFailing)}`
    }
    if (highestMet !== null) return `at least ${rateText(highestMet)}`
    return firstFailing === null ? 'no rate was decided' : `below ${rateText(firstFailing)}`
  }
  const bounds = interval === null ? '' : ` [${interval.map(figure).join(', ')}]`
  return joinPhrases([
    `${rateText(rate)}${bounds}${levelOf(result)}, ${limiting}`,
    limit === 'policy' && 'limited by policy, not by capacity',
    firstFailing !== null && `first failing rate ${figure(firstFailing)}`,
    headroom && `${headroomText(headroom)} ${figure(headroom.rate)}`,
  ])
}

function limitText({ limitedBy }: CapacityReport['result']): string {
  return `limited by ${clean(limitedBy ?? 'an SLO')}`
}

function headroomText({ share }: NonNullable<CapacityReport['result']['headroom']>): string {
  return `at ${Number((100 * share).toPrecision(3))} % headroom`
}

/** Confidence level; two verdicts alone have none. */
function levelOf({ by, confidence }: CapacityReport['result']): string {
  return by === 'bracket' ? ' between two verdicts' : ` at ${100 * confidence} %`
}

/** `32.0 clients [30.1, 33.8] at 95 %, 47.0 req/s, limited by …`: the answer of a closed loop. */
function clientsText({ result, probes }: CapacityReport): string {
  const { concurrency, rate, headroom } = result
  const { value = 0, interval: range = null } = concurrency ?? {}
  const bounds = range === null ? '' : ` [${range.map(figure).join(', ')}]`
  const completed = rate === null ? '' : `, ${rateText(rate)}`
  const failing = probes
    .filter(({ verdict, clients }) => verdict === 'missed' && clients !== null && clients > value)
    .map(({ clients }) => clients ?? 0)
  return joinPhrases([
    `${count(figure(value), 'client')}${bounds}${levelOf(result)}${completed}, ${limitText(result)}`,
    failing.length > 0 && `first failing ${count(Math.min(...failing), 'client')}`,
    headroom && `${headroomText(headroom)} ${count(figure(headroom.share * value), 'client')}`,
  ])
}

function stateOf(report: CapacityReport): string {
  const { outcome, interrupted, generator, faults } = report
  if (outcome === 'undecided' && faults.length > 0)
    return `${count(faults.length, 'internal error')} of chatgen: the result is from the other probes`
  if (interrupted) return 'interrupted: the result is what was known by then'
  switch (outcome) {
    case 'undecided':
      return missingText(report)
    case 'found':
      return wideText(report)
    case 'unreachable':
      return 'the target stopped answering'
    case 'violated':
      return 'a requirement was violated under load'
    case 'invalid':
      return `the load generator was the bottleneck${generator.holds === null ? '' : `: it sustains ${rateText(generator.holds)}`}`
    default:
      return ''
  }
}

/** Reports an interval wider than the precision, if the budget ended first. */
function wideText(report: CapacityReport): string {
  const { result, config } = report
  const width = halfWidth(report)
  if (result.by !== 'fit' || width === null || width <= config.precision) return ''
  return `±${percent(width)}, which is what the budget of ${seconds(config.budgetMs)} decides`
}

/** Half of the interval, as a share of the load. */
function halfWidth(report: CapacityReport): number | null {
  const { value, interval } = loadEstimate(report)
  return value === null || interval === null ? null : (interval[1] - interval[0]) / 2 / value
}

/** Remedy for an undecided search: the budget that the precision needs. */
function missingText(report: CapacityReport): string {
  const { result, config } = report
  const width = halfWidth(report)
  const ended = `the budget of ${seconds(config.budgetMs)} ended`
  if (width === null || result.by === 'bracket') {
    return `${ended}, and its probes contained too few requests for more than verdicts; pass a longer --budget`
  }
  const minutes = Math.ceil(
    (config.budgetMs / 60_000) * Math.min(100, (width / config.precision) ** 2),
  )
  return `${ended} at ±${percent(width)}; ±${percent(config.precision)} takes about --budget ${minutes}m`
}

export function rateText(rate: number): string {
  return `${figure(rate)} req/s`
}

export function load(value: number, loop: CapacityReport['loop']): string {
  return loop === 'closed' ? count(value, 'client') : rateText(value)
}

/** Further figures at the found rate: requests in flight, tokens per second. */
export function detailFacts(report: CapacityReport): readonly Fact[] {
  const { result, policyLimit, hysteresis, drift, loop } = report
  const { concurrency, tokensPerSecond: tokens } = result
  const prompt = tokens?.input == null ? '' : `${figure(tokens.input)} prompt, `
  return filledFacts([
    [
      loop === 'closed' ? 'Clients  ' : 'In flight (Little’s law)  ',
      concurrency && withRange(concurrency.value, concurrency.interval),
    ],
    ['Tokens per second  ', tokens && `${prompt}${figure(tokens.output || null)} output`],
    [
      'Boundary  ',
      result.by === 'cliff' && 'a cliff: the share over the limit jumps within the interval',
    ],
    ['Rate limit  ', policyLimit && policyText(policyLimit)],
    ['Hysteresis  ', hysteresis?.message],
    ['Drift  ', drift?.message],
  ])
}

function policyText({
  burst,
  refill,
  headers,
}: NonNullable<CapacityReport['policyLimit']>): string {
  const bounds = ({ value, interval: range }: typeof burst) => withRange(value, range)
  const lines = Object.entries(headers).map(([name, value]) => `${clean(name)}: ${clean(value)}`)
  return [`burst ${bounds(burst)}, refill ${bounds(refill)}/s`, ...lines].join('; ')
}
