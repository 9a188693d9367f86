import type { Scenario, Selection } from '../conformance/run.ts'
import { addCosts, noCost } from '../conformance/run-setup.ts'

/** What a run would ask of its target, as `--dry-run` prints it. */
export function planText(scenarios: readonly Scenario[], selection: Selection): string {
  const total = scenarios.map(({ cost }) => cost).reduce(addCosts, noCost)
  const again = scenarios.reduce((sum, scenario) => sum + scenario.again, 0)
  const columns = ['requests', 'generations', 'chats', 'uploads'] as const
  const numbers = (cost: Scenario['cost']) =>
    columns.map((column) => String(cost[column]).padStart(12)).join('')
  const width = Math.max(...scenarios.map(({ title }) => title.length), 10)
  return [
    `Profile ${selection.profile}: ${scenarios.length} scenarios. Nothing was sent. A run asks for:`,
    '',
    `${''.padEnd(width)}${columns.map((column) => column.padStart(12)).join('')}`,
    ...scenarios.map(({ title, cost }) => `${title.padEnd(width)}${numbers(cost)}`),
    '',
    `${'total'.padEnd(width)}${numbers(total)}`,
    '',
    `Where a model misses a planted fact it is asked again: up to ${again} generations more.`,
    'Requests that are answered 429 or 503 are tried again; waiting for a change takes reads.',
  ].join('\n')
}
