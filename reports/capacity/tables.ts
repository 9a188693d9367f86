import type { CapacityProbe } from '../../contract/report/capacity/probe.ts'
import type { CapacityReport, FrontierPoint } from '../../contract/report/capacity/report.ts'
import { figure, percent, seconds } from '../text/format.ts'

/** Tables of a capacity report. */

export function frontierTable({ frontier, loop }: CapacityReport) {
  const cells = (point: FrontierPoint) => [
    loop === 'closed' ? String(point.clients ?? '') : figure(point.rate),
    String(point.probes),
    figure(point.completed),
    figure(point.outputTokens),
    figure(point.concurrency),
    quantiles(point.ttft),
    quantiles(point.tpot),
    quantiles(point.e2e),
    point.verdict,
  ]
  return {
    head: [
      ...(loop === 'closed' ? ['clients'] : ['rate']),
      ...['probes', 'completed/s', 'tokens/s', 'in flight'],
      ...['ttft p50/p95', 'tpot p50/p95', 'e2e p50/p95', ''],
    ],
    rows: frontier.map(cells),
  }
}

export function probeTable({ probes, loop }: CapacityReport) {
  const cells = (probe: CapacityProbe) => {
    const worst = worstMargin(probe)
    return [
      String(probe.index),
      probe.purpose,
      loop === 'closed' ? String(probe.clients ?? '') : figure(probe.rate),
      seconds(probe.atMs),
      seconds(probe.durationMs),
      probe.verdict,
      worst === null
        ? ''
        : `${worst.expression}: ${percent(worst.share)} over, ${percent(worst.allowed)} allowed`,
      probe.stopped ?? (probe.valid ? '' : probe.generator.reasons.join('; ')),
    ]
  }
  return {
    head: [
      'probe',
      'purpose',
      loop === 'closed' ? 'clients' : 'rate',
      'at',
      'length',
      'verdict',
      'nearest limit',
      '',
    ],
    rows: probes.map(cells),
  }
}

/** The SLO whose share over the limit is the largest multiple of what it allows. */
function worstMargin({ slo }: CapacityProbe) {
  const shares = slo.flatMap(({ expression, over, requests, allowed }) =>
    over === null || !requests || allowed === null || allowed === 0
      ? []
      : [{ expression, share: over / requests, allowed }],
  )
  return shares.toSorted((a, b) => b.share / b.allowed - a.share / a.allowed)[0] ?? null
}

function quantiles({ p50, p95 }: FrontierPoint['ttft']): string {
  return p50 === null && p95 === null ? 'n/a' : `${figure(p50)} / ${figure(p95)}`
}
