import { type LoadReport, loadOutcomes } from '../../../contract/report/load/report.ts'
import { isEdited } from '../../text/digest.ts'
import { clocked } from '../measures.ts'
import { bucketsOf, expositionOf, type Family, genAiFamilies, operationBounds } from './gen-ai.ts'

/**
 * A load run in the Prometheus exposition format. Latencies that OpenTelemetry names (semantic conventions for
 * generative AI metrics, status Development) have its names, buckets and attributes, with dots as
 * underscores and the unit as a suffix, as its exporters write them; they count from the moment of
 * sending. The rest is `chatgen_load_…`.
 */
export function loadToPrometheus(report: LoadReport): string {
  return expositionOf([
    info(report),
    outcome(report),
    gauge(
      'chatgen_load_edited',
      '1 if the stored report was edited after its run.',
      Number(isEdited(report)),
    ),
    ...genAiFamilies(report),
    responseTimes(report),
    ...quantiles(report),
    ...rates(report),
    ...integrity(report),
    ...slos(report),
    ...generator(report),
  ])
}

function responseTimes({ metrics }: LoadReport): Family {
  return {
    name: 'chatgen_load_response_seconds',
    type: 'histogram',
    help: 'Latencies from the planned send time, including time spent waiting for a stalled target.',
    samples: metrics.flatMap(({ name, response }) =>
      response === null ? [] : bucketsOf(response, operationBounds, { metric: name }),
    ),
  }
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
      'Quantiles of the measured window; absent if the sample is too small.',
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
      help: 'Requests of the measured window by state.',
      samples: Object.entries(rates).map(([state, { count }]) => ({
        labels: { state },
        value: count,
      })),
    },
    gauge('chatgen_load_open_requests', 'In flight when the run ended.', open),
    gauge(
      'chatgen_load_goodput_ratio',
      'Share of good requests among due requests.',
      goodput.share,
    ),
    gauge(
      'chatgen_load_goodput_requests_per_second',
      'Good requests per second.',
      goodput.perSecond,
    ),
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
      'Share of stream time spent in stalls.',
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
      help: 'Streams, bodies and events judged.',
      samples: Object.entries({ streams, bodies, events }).map(([what, value]) => ({
        labels: { what },
        value,
      })),
    },
    {
      name: 'chatgen_load_broken_answers_total',
      type: 'counter',
      help: 'Responses that violated a requirement.',
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
      help: '1 met, 0 missed; absent if undecided.',
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
      help: '1 for the current verdict; if invalid, the figures do not describe the target.',
      samples: (['valid', 'degraded', 'invalid'] as const).map((name) => ({
        labels: { verdict: name },
        value: Number(name === verdict),
      })),
    },
    gauge(
      'chatgen_load_timestamp_error_seconds',
      'Timestamp error of the generator, p99.',
      timestampError === null ? null : timestampError.p99 / 1000,
    ),
    gauge(
      'chatgen_load_audits_failed',
      'Consistency audits that failed.',
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
    help: 'Labels of the run; always 1.',
    samples: [{ labels, value: 1 }],
  }
}

function outcome(report: LoadReport): Family {
  return {
    name: 'chatgen_load_outcome',
    type: 'gauge',
    help: '1 for the outcome of the run.',
    samples: loadOutcomes.toReversed().map((name) => ({
      labels: { outcome: name },
      value: Number(name === report.outcome),
    })),
  }
}

function gauge(name: string, help: string, value: number | null): Family {
  return { name, type: 'gauge', help, samples: value === null ? [] : [{ value }] }
}
