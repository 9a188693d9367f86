import type { LoadReport, TransactionRow } from '../model/load.ts'
import type { Distribution, MetricName } from '../model/load-measures.ts'
import { expositionOf, type Family, type Labels, type Sample } from './exposition.ts'
import { binsOf, cumulative } from './histogram.ts'
import { clocked } from './words.ts'

/**
 * A load run as Prometheus reads it. Latencies that OpenTelemetry names (semantic conventions for
 * generative AI metrics, status Development) have its names, buckets and attributes, with dots as
 * underscores and the unit as a suffix, as its exporters write them; they count from the moment of
 * sending. The rest is `chatgen_load_…`.
 */
export function loadToPrometheus(report: LoadReport): string {
  return expositionOf([
    info(report),
    outcome(report),
    ...genAi.map((instrument) => genAiFamily(instrument, report)),
    responseTimes(report),
    ...quantiles(report),
    ...rates(report),
    ...integrity(report),
    ...slos(report),
    ...generator(report),
  ])
}

interface Instrument {
  /** Of OpenTelemetry. */
  readonly name: string
  readonly metric: MetricName
  readonly help: string
  /** Explicit bucket boundaries that the convention advises, seconds. */
  readonly bounds: readonly number[]
}

const operationBounds = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]

const genAi: readonly Instrument[] = [
  {
    name: 'gen_ai.client.operation.duration',
    metric: 'e2e',
    help: 'From sending to the event that ends a whole answer.',
    bounds: operationBounds,
  },
  {
    name: 'gen_ai.client.operation.time_to_first_chunk',
    metric: 'ttfe',
    help: 'From sending to the first event of a stream, of any kind.',
    bounds: operationBounds,
  },
  {
    name: 'gen_ai.client.operation.time_per_output_chunk',
    metric: 'icl',
    help: 'Gaps between reads that brought generated content.',
    bounds: operationBounds,
  },
  {
    name: 'gen_ai.server.time_to_first_token',
    metric: 'ttft',
    help: 'To the first generated content, reasoning included; seen by the client, the network is in it.',
    bounds: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
  },
  {
    name: 'gen_ai.server.time_per_output_token',
    metric: 'tpot',
    help: 'From first to last content by the tokens after the first; seen by the client.',
    bounds: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
  },
]

function genAiFamily({ name, metric, help, bounds }: Instrument, report: LoadReport): Family {
  return {
    name: `${name.replaceAll('.', '_')}_seconds`,
    type: 'histogram',
    help,
    samples: report.transactions.flatMap((transaction) => {
      const own = transaction.metrics.find((one) => one.name === metric)?.service
      return own ? histogram(own, bounds, attributes(report, transaction)) : []
    }),
  }
}

/** Required by the convention: operation and provider; the address is recommended. */
function attributes({ target }: LoadReport, { name, surface }: TransactionRow): Labels {
  const url = URL.canParse(target.baseUrl) ? new URL(target.baseUrl) : null
  return {
    gen_ai_operation_name: 'chat',
    gen_ai_provider_name: 'chatgen',
    ...(url === null
      ? {}
      : {
          server_address: url.hostname,
          server_port: url.port || (url.protocol === 'https:' ? '443' : '80'),
        }),
    transaction: name,
    surface,
  }
}

function responseTimes({ metrics }: LoadReport): Family {
  return {
    name: 'chatgen_load_response_seconds',
    type: 'histogram',
    help: 'Latencies from the planned moment, so that waiting for a stalled target is in them.',
    samples: metrics.flatMap(({ name, response }) =>
      response === null ? [] : histogram(response, operationBounds, { metric: name }),
    ),
  }
}

function histogram(
  distribution: Distribution,
  bounds: readonly number[],
  labels: Labels,
): readonly Sample[] {
  const bins = binsOf(distribution)
  const counts = cumulative(
    bins,
    bounds.map((bound) => 1000 * bound),
  )
  const { count, mean } = distribution
  return [
    ...counts.map((value, at) => ({
      suffix: '_bucket',
      labels: { ...labels, le: String(bounds[at]) },
      value,
    })),
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: ((mean ?? 0) * count) / 1000 },
    { suffix: '_count', labels, value: count },
  ]
}

function quantiles({ metrics }: LoadReport): readonly Family[] {
  const all = clocked(metrics).flatMap(({ name, clock, distribution }) =>
    distribution.quantiles.map((quantile) => ({
      ...quantile,
      labels: { metric: name, clock, quantile: String(quantile.q) },
    })),
  )
  const family = (name: string, help: string, member: 'value' | 'low' | 'high'): Family => ({
    name: `chatgen_load_${name}_seconds`,
    type: 'gauge',
    help,
    samples: all.flatMap((quantile) => {
      const ms = quantile[member]
      return ms === null ? [] : [{ labels: quantile.labels, value: ms / 1000 }]
    }),
  })
  return [
    family(
      'latency',
      'Quantiles of the measured window; absent where the sample is too small.',
      'value',
    ),
    family('latency_low', 'Lower end of the 95 % interval of a quantile.', 'low'),
    family('latency_high', 'Upper end of the 95 % interval of a quantile.', 'high'),
  ]
}

function rates({ rates, goodput, errors, stalls, open }: LoadReport): readonly Family[] {
  return [
    {
      name: 'chatgen_load_requests_per_second',
      type: 'gauge',
      help: 'Five rates of the measured window.',
      samples: Object.entries(rates).map(([state, { perSecond }]) => ({
        labels: { state },
        value: perSecond,
      })),
    },
    {
      name: 'chatgen_load_requests_total',
      type: 'counter',
      help: 'Requests of the measured window by what became of them.',
      samples: Object.entries(rates).map(([state, { count }]) => ({
        labels: { state },
        value: count,
      })),
    },
    gauge('chatgen_load_open_requests', 'In flight when the run ended.', open),
    gauge('chatgen_load_goodput_ratio', 'Good of all due requests.', goodput.share),
    gauge('chatgen_load_goodput_requests_per_second', 'Good requests a second.', goodput.perSecond),
    {
      name: 'chatgen_load_errors_total',
      type: 'counter',
      help: 'Failed requests of the whole run by kind.',
      samples: [...Map.groupBy(errors, ({ kind }) => kind)].map(([kind, rows]) => ({
        labels: { error_type: kind },
        value: rows.reduce((sum, { count }) => sum + count, 0),
      })),
    },
    gauge(
      'chatgen_load_stalled_ratio',
      'Time in stalls, of all time in streams.',
      stalls?.share ?? null,
    ),
  ]
}

function integrity({ integrity }: LoadReport): readonly Family[] {
  const { streams, bodies, events, findings } = integrity
  return [
    {
      name: 'chatgen_load_judged_total',
      type: 'counter',
      help: 'What the judges looked at.',
      samples: Object.entries({ streams, bodies, events }).map(([what, value]) => ({
        labels: { what },
        value,
      })),
    },
    {
      name: 'chatgen_load_broken_answers_total',
      type: 'counter',
      help: 'Answers that broke a requirement.',
      samples: findings.map(({ id, level, broken }) => ({
        labels: { requirement: id, level },
        value: broken,
      })),
    },
  ]
}

function slos({ slo }: LoadReport): readonly Family[] {
  return [
    {
      name: 'chatgen_load_slo_met',
      type: 'gauge',
      help: '1 met, 0 missed; absent where it is undecided.',
      samples: slo.flatMap(({ expression, verdict }) =>
        verdict === 'undecided'
          ? []
          : [{ labels: { slo: expression }, value: verdict === 'met' ? 1 : 0 }],
      ),
    },
  ]
}

function generator({ generator, audits }: LoadReport): readonly Family[] {
  const { timestampError, verdict } = generator
  return [
    {
      name: 'chatgen_load_generator_verdict',
      type: 'gauge',
      help: '1 for the verdict that holds: with invalid, no figure above is one of the target.',
      samples: (['valid', 'degraded', 'invalid'] as const).map((name) => ({
        labels: { verdict: name },
        value: Number(name === verdict),
      })),
    },
    gauge(
      'chatgen_load_timestamp_error_seconds',
      'How late the stamps of the generator were at p99.',
      timestampError === null ? null : timestampError.p99 / 1000,
    ),
    gauge(
      'chatgen_load_audits_failed',
      'Laws that the figures do not keep.',
      audits.filter(({ verdict }) => verdict === 'fail').length,
    ),
  ]
}

function info({ suite, plan, seed, target }: LoadReport): Family {
  const labels = {
    version: suite.version,
    interface: suite.interface,
    plan: plan.hash.slice(0, 12),
    seed,
    target: target.baseUrl,
  }
  return {
    name: 'chatgen_load_info',
    type: 'gauge',
    help: 'What was run; always 1.',
    samples: [{ labels, value: 1 }],
  }
}

function outcome(report: LoadReport): Family {
  return {
    name: 'chatgen_load_outcome',
    type: 'gauge',
    help: '1 for the outcome that holds.',
    samples: (['met', 'missed', 'violated', 'invalid'] as const).map((name) => ({
      labels: { outcome: name },
      value: Number(name === report.outcome),
    })),
  }
}

function gauge(name: string, help: string, value: number | null): Family {
  return { name, type: 'gauge', help, samples: value === null ? [] : [{ value }] }
}
