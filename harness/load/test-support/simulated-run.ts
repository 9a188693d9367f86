import type { LoadReport } from '../../../contract/report/load/report.ts'
import { loadReportOf } from '../../../reports/load/test-support/sketch.ts'
import { Histogram } from '../metrics/samples/histogram.ts'
import { drawsOf, standardNormal } from '../plan/random.ts'
import { packBlocks } from '../summary/blocks.ts'

/**
 * 60 s at 40 requests a second, times lognormal with sigma 0.15. Each second has its own level, which
 * follows that of the second before it (autocorrelation 0.5, 2 %), so requests are not independent.
 */
export function simulatedRun(seed: number, factor: number, failing = 0): LoadReport {
  const [random, noise] = [uniform(seed), normal(seed + 1e6)]
  let level = 0
  const blocks = Array.from({ length: 20 }, () => {
    const [ttft, tpot, e2e] = [new Histogram(), new Histogram(), new Histogram()]
    let [due, ok] = [0, 0]
    for (let second = 0; second < 3; second++) {
      level = 0.5 * level + Math.sqrt(1 - 0.5 ** 2) * 0.02 * noise()
      const scale = factor * Math.exp(level)
      for (let at = exponential(random, 40); at < 1; at += exponential(random, 40)) {
        due++
        if (random() < failing) continue
        ok++
        const first = 200e6 * scale * Math.exp(0.15 * noise())
        const gap = 20e6 * scale * Math.exp(0.15 * noise())
        ttft.add(first)
        tpot.add(gap)
        e2e.add(first + 10 * gap)
      }
    }
    const latency = (metric: 'ttft' | 'tpot' | 'e2e', values: Histogram) => ({
      metric,
      clock: metric === 'tpot' ? ('service' as const) : ('response' as const),
      counts: [...values.counts],
      censored: 0,
    })
    const latencies = [latency('ttft', ttft), latency('tpot', tpot), latency('e2e', e2e)]
    return { due, ok, good: ok, completed: ok, outputTokens: 11 * ok, latencies }
  })
  const generator = { ...loadReportOf().generator, verdict: 'valid' as const }
  return loadReportOf({
    generator,
    metrics: [],
    blocks: packBlocks({ blockMs: 3000, blocks }),
    slo: [],
  })
}

function exponential(random: () => number, perSecond: number): number {
  return -Math.log(1 - random()) / perSecond
}

/** Numbers from 0 to 1, the same for a seed. */
export function uniform(seed: number): () => number {
  return drawsOf(seed, 0)
}

/** Standard normal values. */
export function normal(seed: number): () => number {
  const random = uniform(seed)
  return () => standardNormal(random(), random())
}
