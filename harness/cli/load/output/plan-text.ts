import { arrivalText } from '../../../../reports/load/outcome.ts'
import { columns } from '../../../../reports/text/columns.ts'
import { minRequests } from '../../../load/plan/needs.ts'
import {
  arrivals,
  isOwnArrival,
  type Part,
  type PlanSpec,
  planHash,
  wholePlan,
} from '../../../load/plan/plan.ts'
import { arrivalRow } from '../../../load/report/build-report.ts'

/** Text of `--dry-run`: the cost of a load run for its target. */
export function loadPlanText(spec: PlanSpec, shard: Part | null): string {
  const totals = new Map(spec.mix.entries.map(({ name }) => [name, noTotal()]))
  let count = 0
  for (const arrival of arrivals(spec)) {
    // The size of a closed loop is unknown before the run: a sample shows its composition.
    if (arrival.plannedNs === null && arrival.index >= closedSample) break
    if (!isOwnArrival(arrival, shard ?? wholePlan)) continue
    count += 1
    const entry = spec.mix.entries[arrival.entry]
    const total = entry === undefined ? undefined : totals.get(entry.name)
    if (entry === undefined || total === undefined) continue
    total.transactions += 1
    total.requests += minRequests(entry, arrival)
    total.promptWords += arrival.promptWords * arrival.turns
    total.answerTokens += (arrival.answerTokens ?? 0) * arrival.turns
  }
  const closed = spec.arrival.kind === 'closed'
  const rows = [...totals].map(([name, total]) => [name, ...Object.values(total).map(String)])
  const seconds = spec.durationNs / 1e9
  return [
    'Nothing was sent.',
    `Load      ${arrivalText(arrivalRow(spec))}, ${seconds} s`,
    `Mix       ${spec.mix.name}`,
    `Seed      ${spec.seed}`,
    `Plan      ${planHash(spec)}`,
    ...(shard === null ? [] : [`Shard     ${shard.index}/${shard.of}`]),
    '',
    closed
      ? `The first ${count} transactions (the total depends on the target):`
      : `${count} transactions:`,
    '',
    ...columns([['', 'transactions', 'requests', 'prompt words', 'answer tokens'], ...rows]),
    '',
    'Minimum number of requests: the page count of a history depends on the target.',
    'Chats are created before the run and deleted after it.',
  ].join('\n')
}

const closedSample = 1000

function noTotal() {
  return { transactions: 0, requests: 0, promptWords: 0, answerTokens: 0 }
}
