import type { Scenario, Selection } from '../conformance/run.ts'
import { addCosts, noCost } from '../conformance/run-setup.ts'

/** What a run would ask of its target, at most, as `--dry-run` prints it. */
export function planText(scenarios: readonly Scenario[], selection: Selection): string {
  const total = scenarios.map(({ cost }) => cost).reduce(addCosts, noCost)
  const columns = ['requests', 'generations', 'chats', 'uploads'] as const
  const numbers = (cost: Scenario['cost']) =>
    columns.map((column) => String(cost[column]).padStart(12)).join('')
  const width = Math.max(...scenarios.map(({ title }) => title.length), 10)
  return [
    `Profile ${selection.profile}: ${scenarios.length} scenarios. Nothing was sent. At most, without tries after a 429 or 503:`,
    '',
    `${''.padEnd(width)}${columns.map((column) => column.padStart(12)).join('')}`,
    ...scenarios.map(({ title, cost }) => `${title.padEnd(width)}${numbers(cost)}`),
    '',
    `${'total'.padEnd(width)}${numbers(total)}`,
  ].join('\n')
}
