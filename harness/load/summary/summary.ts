import type { EndpointRow } from '../../../contract/report/load/endpoints.ts'
import type { Disturbances, ErrorRow } from '../../../contract/report/load/errors.ts'
import type { AuditRow } from '../../../contract/report/load/generator.ts'
import type { Metric } from '../../../contract/report/load/measures.ts'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import { decideSlo } from '../slo/decide.ts'
import { impliedSlos } from '../slo/implied.ts'
import type { Slo } from '../slo/slo.ts'
import { conservation, littlesLaw, stampOrder } from '../statistics/audits.ts'
import { blocksOf, packBlocks } from './blocks.ts'
import { endpointRows, metricRow, metricRows, turnRows } from './metric-rows.ts'
import {
  countAbandoned,
  countDue,
  describeDelivery,
  disturbancesOf,
  goodputOf,
  ratesOf,
  stallsOf,
} from './rates.ts'
import { heatMapsOf, seriesOf } from './series.ts'
import { sloEvidence } from './slo-evidence.ts'
import {
  independenceOf,
  type MeasuredWindow,
  measuredWindow,
  type WindowOptions,
} from './window.ts'

/** The measured part of a report; the rest comes from the plan, the judges and the generator. */
export type Measured = Pick<
  LoadReport,
  | 'window'
  | 'rates'
  | 'goodput'
  | 'metrics'
  | 'turns'
  | 'stalls'
  | 'delivery'
  | 'open'
  | 'left'
  | 'slo'
  | 'audits'
  | 'series'
  | 'heatMaps'
  | 'blocks'
  | 'endpoints'
> & {
  readonly errors: ErrorRow[]
  readonly disturbances: Disturbances
  /** Requests that found a connection open. */
  readonly reused: number
  readonly connectMs: Metric | null
  /** Metrics by transaction, in the measured window. */
  readonly transactionMetrics: ReadonlyMap<string, Metric[]>
}

export interface SummaryOptions extends WindowOptions {
  readonly slos: readonly Slo[]
  /** Share of the requests that may be refused, where the run was told. */
  readonly maxRefusals?: number | undefined
  readonly transactions: readonly string[]
  /** Endpoints of a target with several, in the order of their indexes. */
  readonly endpoints?: readonly Pick<EndpointRow, 'name' | 'baseUrl'>[] | undefined
  /** Requests that the plan had for the time that the run took; what was recorded, where not known. */
  readonly planned?: number
}

/** A run that was measured, in the shapes of the report. */
export function summarize(run: RunMetrics, options: SummaryOptions): Measured {
  const window = measuredWindow(run, options)
  const { from, to, fromNs, toNs } = window
  const kept = run.group(from, to)
  const { outcomes } = run.group(0, Number.POSITIVE_INFINITY)
  const independence = independenceOf(run, fromNs, toNs)
  const evidence = sloEvidence(run, window)
  const errors = run.failures.rows(countDue(outcomes))
  return {
    window: window.row,
    rates: ratesOf(run, window),
    goodput: goodputOf(kept, window),
    metrics: metricRows(kept, independence),
    turns: turnRows(run, window, independence),
    stalls: stallsOf(kept, run.config.stallNs),
    delivery: describeDelivery(kept),
    errors,
    disturbances: disturbancesOf(errors),
    open: outcomes.open,
    left: {
      abort: outcomes.abort,
      churn: outcomes.churn,
      slowReader: outcomes['slow-reader'],
      race: outcomes.race,
    },
    slo: [
      ...options.slos.map((slo) => decideSlo(slo, evidence)),
      ...impliedSlos(
        options.slos,
        { whole: outcomes.ok, due: countDue(outcomes), errors },
        options.maxRefusals ?? null,
      ),
    ],
    audits: auditsOf(run, window, options.planned),
    series: seriesOf(run),
    heatMaps: heatMapsOf(run),
    blocks: packBlocks(blocksOf(run, window)),
    ...(options.endpoints === undefined
      ? {}
      : { endpoints: endpointRows(run, window, options.endpoints, independence) }),
    reused: outcomes.reusedConnections,
    connectMs: metricRow(kept, 'connect', independence),
    transactionMetrics: new Map(
      options.transactions.map((name) => [
        name,
        metricRows(run.group(from, to, { transaction: name }), independence),
      ]),
    ),
  }
}

function auditsOf(run: RunMetrics, window: MeasuredWindow, planned?: number): AuditRow[] {
  const { from, to, fromNs, toNs } = window
  const { ended, residenceNs } = run.slices.sum(from, to)
  const { outcomes } = run.group(0, Number.POSITIVE_INFINITY)
  const { requests, notDispatched, ok, open, shed, failed, disordered } = outcomes
  return [
    littlesLaw({
      windowNs: toNs - fromNs,
      inFlightNs: run.slices.inFlightNs(from, to),
      inFlightAtStart: run.slices.inFlightAt(from),
      inFlightAtEnd: run.slices.inFlightAt(to),
      ended,
      meanResidenceNs: ended === 0 ? 0 : residenceNs / ended,
    }),
    ...conservation({
      planned: planned ?? requests + notDispatched,
      dispatched: requests,
      notDispatched,
      ok,
      failed: shed + failed,
      open,
      left: countAbandoned(outcomes),
    }),
    stampOrder(requests, disordered),
  ]
}
