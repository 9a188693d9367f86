import { count } from '../../../../contract/text.ts'
import { fittedColumns } from '../../../../reports/text/format.ts'
import type { BenchReport, BenchRow } from '../../../load/bench/bench.ts'
import { type BenchFigures, maxClientUtilization } from '../../../load/bench/measure.ts'

/** @param width Columns of the terminal: what does not fit is only in the JSON. */
export function benchToText(report: BenchReport, width = Number.POSITIVE_INFINITY): string {
  const { rows, connections, seconds, maxTokens, target, clientBound } = report
  const withBaseline = rows.some(({ baseline }) => baseline !== null)
  const lines = rows.flatMap((row) => [
    cells(row.case, row.target, withBaseline ? [row.ratio?.toFixed(2) ?? '–'] : []),
    ...(row.baseline === null ? [] : [cells('  bare node:http', row.baseline, [''])]),
  ])
  return [
    `${target.baseUrl}: ${connections} connections, ${seconds} s a case, at most ${maxTokens} tokens an answer`,
    '',
    ...fittedColumns([[...heading, ...(withBaseline ? ['of bare'] : [])], ...lines], {
      width,
      spare,
    }).lines,
    '',
    ...rows.flatMap(remarks),
    ...report.notMeasured.map((one) => `${one.case}: not measured: ${one.why}`),
    ...(clientBound.length === 0
      ? []
      : [
          `INVALID: the client was busy for more than ${maxClientUtilization * 100}% of the time in ${clientBound.join(', ')}: what was measured there is the client. Use fewer connections, or a slower pace.`,
        ]),
    ...(report.interrupted ? ['Interrupted: the other cases were not measured.'] : []),
  ]
    .join('\n')
    .trimEnd()
}

const heading = [
  'case',
  'answers/s',
  'events/s',
  'MB/s',
  'p50 ms',
  'p90 ms',
  'p99 ms',
  'failed',
  'client',
]

function cells(name: string, figures: BenchFigures, rest: readonly string[]): string[] {
  const { latencyMs, eventsPerSecond, failures } = figures
  const ms = (value: number | undefined) => value?.toFixed(value < 100 ? 1 : 0) ?? '–'
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0)
  return [
    name,
    figures.answersPerSecond.toFixed(figures.answersPerSecond < 100 ? 1 : 0),
    eventsPerSecond?.toFixed(0) ?? '–',
    (figures.bytesPerSecond / 1e6).toFixed(1),
    ms(latencyMs?.p50),
    ms(latencyMs?.p90),
    ms(latencyMs?.p99),
    String(failed),
    `${(figures.clientBusy * 100).toFixed(0)}%`,
    ...rest,
  ]
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
          `${name}: ${count(made, 'chat')}, each left after ${turns} turns: ${(turns - 1) / 2} earlier turns on average, all the time.`,
        ]),
    ...(exhausted > 0
      ? [
          `${name}: ${exhausted} times no fresh chat was left, so that chats grew on: use more --turns.`,
        ]
      : []),
    ...(leftBehind > 0 ? [`${name}: ${count(leftBehind, 'chat')} could not be deleted.`] : []),
  ]
}

/** Columns that a narrow terminal omits, in this order. */
const spare = ['MB/s', 'p90 ms', 'events/s']
