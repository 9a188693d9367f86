import { tableOf } from '../../document/document.ts'
import { doubtWord, isEdited } from '../../text/digest.ts'
import { clocked } from '../measures.ts'
import type { SecondRow } from '../model/measures.ts'
import { type LoadReport, loadOutcomes } from '../model/report.ts'
import {
  bucketsOf,
  expositionOf,
  type Family,
  genAiFamilies,
  type Labels,
  operationBounds,
} from './gen-ai.ts'

/**
 * A load run in the Prometheus exposition format. Latencies that OpenTelemetry names (semantic conventions for
 * generative AI metrics, status Development) have its names, buckets and attributes, with dots as
 * underscores and the unit as a suffix, as its exporters write them; they count from the moment of
 * sending. The rest is `chatgen_load_…`.
 */
export function loadToPrometheus(report: LoadReport): string {
  const { version, interface: revision } = report.suite
  const { plan, seed, target, outcome } = report
  const run = { version, interface: revision, plan: plan.hash.slice(0, 12), seed }
  return expositionOf([
    ...familiesOf({
      'gauge info: Labels of the run; always 1.': [[{ ...run, target: target.baseUrl }, 1]],
      'gauge outcome: 1 for the outcome of the run.': loadOutcomes
        .toReversed()
        .map((name) => [{ outcome: name }, Number(name === outcome)]),
      'gauge edited: 1 if the stored report was edited after its run.': Number(isEdited(report)),
    }),
    ...genAiFamilies(report),
    ...latencies(report),
    ...familiesOf(rates(report)),
    ...familiesOf(judgments(report)),
  ])
}

/** Values by labels, or the only value; those that are null are left out. */
type Samples = number | null | readonly (readonly [labels: Labels, value: number | null])[]
/** Samples by the type, the name and the help of their family. */
type Table = Readonly<Record<`${'gauge' | 'counter'} ${string}: ${string}`, Samples>>

function familiesOf(table: Table): readonly Family[] {
  return Object.entries(table).map(([key, samples]) => {
    const [, type = '', name = '', help = ''] = /^(\w+) (\w+): (.*)$/.exec(key) ?? []
    const all = Array.isArray(samples) ? samples : [[{}, samples] as const]
    return {
      name: `chatgen_load_${name}`,
      type: type === 'counter' ? 'counter' : 'gauge',
      help,
      samples: all.flatMap(([labels, value]) => (value === null ? [] : [{ labels, value }])),
    }
  })
}

function latencies({ metrics }: LoadReport): readonly Family[] {
  const quantiles = (member: 'value' | 'low' | 'high') =>
    clocked(metrics).flatMap(({ name, clock, distribution }) =>
      distribution.quantiles.map(({ q, [member]: ms }) => {
        return [{ metric: name, clock, quantile: String(q) }, secondsOf(ms)] as const
      }),
    )
  return [
    {
      name: 'chatgen_load_response_seconds',
      type: 'histogram',
      help: 'Latencies from the planned send time, including time spent waiting for a stalled target.',
      samples: metrics.flatMap(({ name, response }) =>
        response === null ? [] : bucketsOf(response, operationBounds, { metric: name }),
      ),
    },
    ...familiesOf({
      'gauge latency_seconds: Quantiles of the measured window; absent if the sample is too small.':
        quantiles('value'),
      'gauge latency_low_seconds: Lower end of the 95 % interval of a quantile.': quantiles('low'),
      'gauge latency_high_seconds: Upper end of the 95 % interval of a quantile.':
        quantiles('high'),
    }),
  ]
}

function secondsOf(ms: number | null): number | null {
  return ms === null ? null : ms / 1000
}

function rates({ rates, goodput, errors, stalls, open }: LoadReport): Table {
  const states = Object.entries(rates)
  const kinds = [...Map.groupBy(errors, ({ kind }) => kind)]
  return {
    'gauge requests_per_second: Five rates of the measured window.': states.map(
      ([state, { perSecond }]) => [{ state }, perSecond],
    ),
    'counter requests_total: Requests of the measured window by state.': states.map(
      ([state, { count }]) => [{ state }, count],
    ),
    'gauge open_requests: In flight when the run ended.': open,
    'gauge goodput_ratio: Share of good requests among due requests.': goodput.share,
    'gauge goodput_requests_per_second: Good requests per second.': goodput.perSecond,
    'counter errors_total: Failed requests of the whole run by kind.': kinds.map(([kind, rows]) => [
      { error_type: kind },
      rows.reduce((sum, { count }) => sum + count, 0),
    ]),
    'gauge stalled_ratio: Share of stream time spent in stalls.': stalls?.share ?? null,
  }
}

function judgments({ integrity, slo, generator, audits }: LoadReport): Table {
  const { streams, bodies, events, findings } = integrity
  const { timestampError, verdict } = generator
  const met = { met: 1, missed: 0, undecided: null }
  const verdicts = ['valid', 'degraded', 'invalid']
  return {
    'counter judged_total: Streams, bodies and events judged.': Object.entries({
      ...{ streams, bodies, events },
    }).map(([what, value]) => [{ what }, value]),
    'counter broken_answers_total: Responses that violated a requirement.': findings.map(
      ({ id, level, broken }) => [{ requirement: id, level }, broken],
    ),
    'gauge slo_met: 1 met, 0 missed; absent if undecided.': slo.map((row) => [
      { slo: row.expression },
      met[row.verdict],
    ]),
    'gauge generator_verdict: 1 for the current verdict; if invalid, the figures do not describe the target.':
      verdicts.map((name) => [{ verdict: name }, Number(name === verdict)]),
    'gauge timestamp_error_seconds: Timestamp error of the generator, p99.': secondsOf(
      timestampError?.p99 ?? null,
    ),
    'gauge audits_failed: Consistency audits that failed.': audits.filter(
      (audit) => audit.verdict === 'fail',
    ).length,
  }
}

/**
 * The series of a load run, one line per second (RFC 4180, line feeds): counts of what happened in that
 * second, requests in flight at its end, and quantiles in milliseconds; empty if there were none. A
 * report that was edited after its run has another column, `edited`. It has no text of a target, so
 * no formulas for a spreadsheet.
 */
export function loadToCsv(report: LoadReport): string {
  const { head, rows } = tableOf<SecondRow>(report.series, [
    ...counts.map(
      (name) =>
        [
          name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
          (row: SecondRow) => String(row[name]),
        ] as const,
    ),
    ...charted.flatMap((name) =>
      quantiles.map(
        (q) => [`${name}_${q}_ms`, (row: SecondRow) => String(row[name]?.[q] ?? '')] as const,
      ),
    ),
    ...(isEdited(report) ? [['edited', () => doubtWord(report) ?? ''] as const] : []),
  ])
  return `${[head, ...rows].map((cells) => cells.join(',')).join('\n')}\n`
}

const counts = [
  'second',
  'planned',
  'dispatched',
  'completed',
  'shed',
  'failed',
  'inFlight',
  'events',
  'bytes',
  'outputTokens',
] as const

const charted = ['ttft', 'e2e', 'icl'] as const
const quantiles = ['p50', 'p90', 'p99'] as const
