import type { LoadReport } from '../../reports/model/load.ts'
import type { Distribution, Metric, MetricName } from '../../reports/model/load-measures.ts'
import type { RequestRecord } from './record.ts'

type Measured = Pick<
  LoadReport,
  | 'window'
  | 'rates'
  | 'goodput'
  | 'metrics'
  | 'errors'
  | 'open'
  | 'left'
  | 'slo'
  | 'audits'
  | 'series'
  | 'otherTools'
> & { readonly connectMs: Metric | null }

export function measure(records: readonly RequestRecord[], durationNs: number): Measured {
  const seconds = durationNs / 1e9
  const of = (kind: string) => records.filter(({ outcome }) => outcome.kind === kind)
  const rate = (count: number) => ({ count, perSecond: count / seconds })
  const ok = of('ok')
  const failed = records.filter(({ outcome }) => 'detail' in outcome && outcome.kind !== 'shed')
  const values = (pick: (record: RequestRecord) => number | null) =>
    ok.flatMap((record) => {
      const value = pick(record)
      return value === null ? [] : [value]
    })
  const metric = (
    name: MetricName,
    from: (r: RequestRecord) => number | null,
    to: (r: RequestRecord) => number | null,
  ): Metric => ({
    name,
    unit: 'ms',
    service: distribution(values((r) => diff(to(r), from(r)))),
    response: distribution(values((r) => diff(to(r), r.stamps.planned))),
  })
  return {
    window: {
      fromMs: 0,
      toMs: durationNs / 1e6,
      method: 'none',
      steady: { verdict: 'too short', message: '' },
    },
    rates: {
      offered: rate(records.length),
      dispatched: rate(records.length),
      completed: rate(ok.length),
      shed: rate(of('shed').length),
      failed: rate(failed.length),
    },
    goodput: {
      good: ok.length,
      due: records.length - of('open').length,
      share: records.length === 0 ? null : ok.length / records.length,
      perSecond: ok.length / seconds,
    },
    metrics: [
      metric(
        'ttfb',
        (r) => r.stamps.sent,
        (r) => r.stamps.headers,
      ),
      metric(
        'ttft',
        (r) => r.stamps.sent,
        (r) => r.stamps.firstGenerated,
      ),
      metric(
        'e2e',
        (r) => r.stamps.sent,
        (r) => r.stamps.terminal,
      ),
    ],
    errors: failed
      .slice(0, 1)
      .flatMap(({ outcome, index, stamps }) =>
        'detail' in outcome
          ? [
              {
                kind: outcome.kind,
                detail: outcome.detail,
                count: failed.length,
                share: failed.length / records.length,
                firstIndex: index,
                firstSecond: stamps.dispatched / 1e9,
              },
            ]
          : [],
      ),
    open: of('open').length,
    left: { abort: 0, churn: 0, slowReader: 0, race: 0 },
    slo: [],
    audits: [],
    series: [],
    otherTools: [],
    connectMs: null,
  }
}

function diff(to: number | null, from: number | null): number | null {
  return to === null || from === null ? null : (to - from) / 1e6
}

function distribution(values: number[]): Distribution | null {
  if (values.length === 0) return null
  values.sort((a, b) => a - b)
  const at = (q: number) =>
    values[Math.min(values.length - 1, Math.floor(q * values.length))] ?? null
  return {
    count: values.length,
    censored: 0,
    effective: values.length,
    min: at(0),
    mean: values.reduce((a, b) => a + b, 0) / values.length,
    max: at(1),
    quantiles: [0.5, 0.9, 0.99].map((q) => ({ q, value: at(q), low: null, high: null, why: null })),
    histogram: null,
  }
}
