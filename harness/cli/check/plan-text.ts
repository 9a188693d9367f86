import { wrap } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import type { Scenario, Selection } from '../../conformance/run.ts'
import { addCosts, type Cost, noCost } from '../../conformance/run-setup.ts'
import { durationText } from './estimate.ts'

export interface PlanOptions {
  readonly selection: Selection
  readonly limits: Pick<TargetProfile['limits'], 'requestsPerSecond'>
  /** Scenarios in flight. */
  readonly jobs: number
  /** Columns of the terminal. */
  readonly width: number
}

/** What a run would ask of its target, as `--dry-run` prints it, and how long it would take. */
export function planText(scenarios: readonly Scenario[], options: PlanOptions): string {
  const { selection, width } = options
  const total = scenarios.map(({ cost }) => cost).reduce(addCosts, noCost)
  const again = scenarios.reduce((sum, scenario) => sum + scenario.again, 0)
  const rows = scenarios.map(({ title, cost }) => ({ title, cost }))
  const lead = `Profile ${selection.profile}: ${count(scenarios.length, 'scenario')}. Nothing was sent. A run asks for:`
  return [
    ...wrap(lead, width),
    '',
    ...table([...rows, null, { title: 'total', cost: total }], width),
    '',
    ...[
      timeText(total, options),
      ...(again === 0
        ? []
        : [
            `Where a model misses a planted fact it is asked again: up to ${again} generations more.`,
          ]),
      'Requests that are answered 429 or 503 are tried again; waiting for a change takes reads.',
    ].flatMap((text) => wrap(text, width)),
  ].join('\n')
}

const columns = ['requests', 'generations', 'chats', 'uploads'] as const
const heading = columns.map((column) => `  ${column}`).join('')

interface Row {
  readonly title: string
  readonly cost: Cost
}

/** A title that is too long for its column goes on below it. */
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

/** What a generation takes is the model's to say: a quick one, and one that reasons. */
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
    ...(rate === undefined ? [] : [`at most ${count(rate, 'request')} a second`]),
  ].join(' and ')
  const time =
    quick === slow
      ? `about ${quick}`
      : `about ${quick} where a generation takes ${secondsPerGeneration[0]} s, about ${slow} where it takes ${secondsPerGeneration[1]} s`
  return `It takes ${time}; with ${bounds}.`
}
