import { wrap } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import type { Selection } from '../../conformance/profile/selection.ts'
import { addCosts, type Cost, noCost } from '../../conformance/usage.ts'
import type { Scenario } from '../../conformance/vitest/collector.ts'
import { durationText } from './estimate.ts'

export interface PlanOptions {
  readonly selection: Selection
  readonly limits: Pick<TargetProfile['limits'], 'requestsPerSecond'>
  /** Scenarios in flight. */
  readonly jobs: number
  /** Columns of the terminal. */
  readonly width: number
}

/** Text of `--dry-run`: the cost of a run for its target, and its estimated duration. */
export function planText(scenarios: readonly Scenario[], options: PlanOptions): string {
  const { selection, width } = options
  const total = scenarios.map(({ cost }) => cost).reduce(addCosts, noCost)
  const extra = scenarios.reduce((sum, scenario) => sum + scenario.again, 0)
  const rows = scenarios.map(({ title, cost }) => ({ title, cost }))
  const lead = `Profile ${selection.profile}: ${count(scenarios.length, 'scenario')}. Nothing was sent. A run costs:`
  return [
    ...wrap(lead, width),
    '',
    ...table([...rows, null, { title: 'total', cost: total }], width),
    '',
    ...[
      timeText(total, options),
      ...(extra === 0
        ? []
        : [`Up to ${extra} extra generations if the model fails to recall a planted fact.`]),
      'Retries after 429 or 503 and polling for changes add requests.',
    ].flatMap((text) => wrap(text, width)),
  ].join('\n')
}

const columns = ['requests', 'generations', 'chats', 'uploads'] as const
const heading = columns.map((column) => `  ${column}`).join('')

interface Row {
  readonly title: string
  readonly cost: Cost
}

/** Renders the table; a title that is too long for its column continues on the next line. */
function table(rows: readonly (Row | null)[], width: number): readonly string[] {
  const longest = Math.max(...rows.map((row) => row?.title.length ?? 0))
  const titles = Math.min(longest, Math.max(20, width - heading.length))
  const linesOf = ({ title, cost }: Row) => {
    const [first = '', ...rest] = wrap(title, titles)
    const numbers = columns.map((column) => `  ${String(cost[column]).padStart(column.length)}`)
    return [first.padEnd(titles) + numbers.join(''), ...rest]
  }
  return [
    ''.padEnd(titles) + heading,
    ...rows.flatMap((row) => (row === null ? [''] : linesOf(row))),
  ]
}

/** Duration of a generation: of a fast model, and of one that reasons. */
const secondsPerGeneration = [1, 10] as const
const secondsPerRequest = 0.05

function timeText({ requests, generations }: Cost, { limits, jobs }: PlanOptions): string {
  const { requestsPerSecond: rate } = limits
  const [quick, slow] = secondsPerGeneration.map((seconds) => {
    const busy = (generations * seconds + (requests - generations) * secondsPerRequest) / jobs
    return durationText(1000 * Math.max(busy, rate === undefined ? 0 : requests / rate))
  })
  const bounds = [
    `${count(jobs, 'scenario')} at a time`,
    ...(rate === undefined ? [] : [`${count(rate, 'request')} per second`]),
  ].join(' and ')
  const time =
    quick === slow
      ? `about ${quick}`
      : `about ${quick} at ${secondsPerGeneration[0]} s per generation, about ${slow} at ${secondsPerGeneration[1]} s per generation`
  return `Estimated duration: ${time}, limited to ${bounds}.`
}
