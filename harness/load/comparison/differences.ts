import type { LoadComparison } from '../../../contract/report/load/comparison.ts'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import { givenSlos } from '../shards/check.ts'

type Difference = LoadComparison['differences'][number]

interface Setting {
  readonly name: string
  /** True if runs that differ in it carry different loads, so that no figure can be blamed on a target. */
  readonly decisive: boolean
  readonly read: (report: LoadReport) => string
}

const settings: readonly Setting[] = [
  { name: 'URL', decisive: false, read: ({ target }) => target.baseUrl.replace(/\/+$/, '') },
  { name: 'spread', decisive: false, read: ({ config }) => config.spread ?? 'one endpoint' },
  { name: 'chatgen', decisive: false, read: ({ suite }) => suite.version },
  { name: 'arrivals', decisive: true, read: ({ plan }) => arrivalText(plan.arrival) },
  { name: 'mix', decisive: true, read: ({ plan, config }) => `${plan.mix} ${text(config.mix)}` },
  { name: 'misbehaviour', decisive: true, read: ({ config }) => text(config.misbehaviour) },
  { name: 'races', decisive: true, read: ({ config }) => text(config.idempotencyRaceShare) },
  { name: 'keep-alive', decisive: true, read: ({ config }) => text(config.keepAlive) },
  { name: 'connections', decisive: true, read: ({ config }) => text(config.mostConnections) },
  { name: 'shards', decisive: true, read: ({ plan, partial }) => text([plan.shard?.of, partial]) },
  {
    name: 'HTTP versions',
    decisive: false,
    read: ({ connections }) => connections.httpVersions.join(', '),
  },
  { name: 'duration', decisive: false, read: ({ plan }) => `${plan.durationMs / 1000} s` },
  { name: 'workers', decisive: false, read: ({ config }) => text(config.workers) },
  { name: 'SLOs', decisive: false, read: (report) => givenSlos(report).join('; ') || 'none' },
]

/** Settings in which two runs differ. */
export function loadDifferences(a: LoadReport, b: LoadReport): Difference[] {
  return settings.flatMap(({ name, decisive, read }) => {
    const [ofA, ofB] = [read(a), read(b)]
    return ofA === ofB ? [] : [{ name, a: shortened(ofA), b: shortened(ofB), decisive }]
  })
}

/** A trace is known by what it holds, not by the name of its file. */
function arrivalText(arrival: LoadReport['plan']['arrival']): string {
  return arrival.kind === 'trace' ? 'a trace' : text(arrival)
}

function text(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}

function shortened(value: string): string {
  return value.length <= 60 ? value : `${value.slice(0, 59)}…`
}
