import { count } from '../../../../contract/text.ts'
import { tableOf } from '../../../../reports/document/document.ts'
import { fittedColumns } from '../../../../reports/text/format.ts'
import type { BenchReport, BenchRow } from '../../../load/bench/bench.ts'
import { type BenchFigures, maxClientUtilization } from '../../../load/bench/measure.ts'

/** @param width Columns of the terminal: what does not fit is only in the JSON. */
export function benchToText(report: BenchReport, width = Number.POSITIVE_INFINITY): string {
  const { rows, connections, seconds, maxTokens, target, clientBound } = report
  const withBaseline = rows.some(({ baseline }) => baseline !== null)
  const lines = rows.flatMap(({ case: name, target: own, baseline, ratio }): Line[] => [
    { name, figures: own, ratio: ratio?.toFixed(2) ?? '–' },
    ...(baseline === null ? [] : [{ name: '  bare node:http', figures: baseline, ratio: '' }]),
  ])
  const { head, rows: cells } = tableOf(lines, withBaseline ? columns : columns.slice(0, -1))
  return [
    `${target.baseUrl}: ${connections} connections, ${seconds} s per case, at most ${maxTokens} tokens per answer`,
    '',
    ...fittedColumns([head, ...cells], { width, spare }).lines,
    '',
    ...rows.flatMap(remarks),
    ...report.notMeasured.map((one) => `${one.case}: not measured: ${one.why}`),
    ...(clientBound.length === 0
      ? []
      : [
          `INVALID: the client was busy for more than ${maxClientUtilization * 100}% of the time in ${clientBound.join(', ')}, so these figures are those of the client. Use fewer connections, or a slower pace.`,
        ]),
    ...(report.interrupted ? ['Interrupted: the other cases were not measured.'] : []),
  ]
    .join('\n')
    .trimEnd()
}

/** A line of the table: a case, or the bare server to compare it with. */
interface Line {
  readonly name: string
  readonly figures: BenchFigures
  readonly ratio: string
}

const ms = (value: number | undefined) => value?.toFixed(value < 100 ? 1 : 0) ?? '–'
const columns: readonly (readonly [head: string, cell: (line: Line) => string])[] = [
  ['case', ({ name }) => name],
  ['answers/s', ({ figures: { answersPerSecond: rate } }) => rate.toFixed(rate < 100 ? 1 : 0)],
  ['events/s', ({ figures }) => figures.eventsPerSecond?.toFixed(0) ?? '–'],
  ['MB/s', ({ figures }) => (figures.bytesPerSecond / 1e6).toFixed(1)],
  ['p50 ms', ({ figures }) => ms(figures.latencyMs?.p50)],
  ['p90 ms', ({ figures }) => ms(figures.latencyMs?.p90)],
  ['p99 ms', ({ figures }) => ms(figures.latencyMs?.p99)],
  ['failed', ({ figures: { failures } }) => String(failedOf(failures))],
  ['client', ({ figures }) => `${(figures.clientBusy * 100).toFixed(0)}%`],
  ['of bare', ({ ratio }) => ratio],
]

function failedOf(failures: BenchFigures['failures']): number {
  return Object.values(failures).reduce((sum, count) => sum + count, 0)
}

function remarks({ case: name, target, chats }: BenchRow): string[] {
  const failures = Object.entries(target.failures).filter(([, count]) => count > 0)
  const { made = 0, turns = 0, exhausted = 0, leftBehind = 0 } = chats ?? {}
  return [
    ...(target.answers === 0 && failures.length === 0
      ? [`${name}: not measured: no response ended within the case: use a longer --duration.`]
      : []),
    ...(failures.length === 0
      ? []
      : [`${name}: failed: ${failures.map(([kind, count]) => `${count} ${kind}`).join(', ')}.`]),
    ...(chats === null
      ? []
      : [
          `${name}: ${count(made, 'chat')}, each replaced after ${turns} turns: ${(turns - 1) / 2} earlier turns on average, throughout the run.`,
        ]),
    ...(exhausted > 0
      ? [
          `${name}: no fresh chat was left ${exhausted} times, so chats kept growing: use more --turns.`,
        ]
      : []),
    ...(leftBehind > 0 ? [`${name}: ${count(leftBehind, 'chat')} could not be deleted.`] : []),
  ]
}

/** Columns that a narrow terminal omits, in this order. */
const spare = ['MB/s', 'p90 ms', 'events/s']
