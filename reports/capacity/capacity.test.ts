import { describe, expect, test } from 'vitest'
import { toJUnit } from '../document/junit.ts'
import { toTerminal } from '../document/terminal.ts'
import { capacityProbeOf, capacityReportOf, nothingFound } from '../test-support/measurements.ts'
import { answerText } from './answer.ts'
import { capacityCharts } from './charts.ts'
import { capacityDocument } from './document.ts'

const style = { color: false, width: 100, verbose: true }
const open = { ...nothingFound, firstFailing: 44, highestMet: 38 }

describe('answerText', () => {
  test.each([
    [
      'interrupted with a bracket',
      { interrupted: true, result: { ...capacityReportOf().result, by: 'bracket' as const } },
      'between two verdicts, limited by ttft.p95 < 1s',
    ],
    [
      'interrupted early',
      { interrupted: true, result: { ...open, firstFailing: null } },
      'at least 38.0 req/s; interrupted: the result is what was known by then',
    ],
    [
      'unreachable',
      { outcome: 'unreachable' as const, result: open },
      'between 38.0 and 44.0 req/s; the target stopped answering',
    ],
    [
      'limited by policy',
      { result: { ...capacityReportOf().result, limit: 'policy' as const } },
      'limited by policy, not by capacity',
    ],
    [
      'bound by the generator',
      {
        outcome: 'invalid' as const,
        result: open,
        generator: { ...capacityReportOf().generator, holds: 31 },
      },
      'the load generator was the bottleneck: it sustains 31.0 req/s',
    ],
    [
      'too short',
      { outcome: 'undecided' as const },
      'between 39.8 and 43.5 req/s, limited by ttft.p95 < 1s; best estimate 42.1; the budget of 1200 s ended at ±4.39 %; ±5 % takes about --budget 16m',
    ],
    [
      'too short for more than a bracket',
      { outcome: 'undecided' as const, result: { ...open, highestMet: 2, firstFailing: 4 } },
      'between 2.00 and 4.00 req/s; the budget of 1200 s ended, and its probes contained too few requests for more than verdicts; pass a longer --budget',
    ],
    [
      'as narrow as its budget allowed',
      { result: { ...capacityReportOf().result, interval: [37.5, 46.2] as [number, number] } },
      '±10.33 %, which is what the budget of 1200 s decides',
    ],
    [
      'below the minimum',
      { outcome: 'below min' as const, result: { ...open, limitedBy: 'ttft.p95 < 1s' } },
      'below 1.00 req/s, the minimum of the search, limited by ttft.p95 < 1s',
    ],
    [
      'without a verdict',
      { result: { ...open, highestMet: null, firstFailing: null } },
      'no rate was decided',
    ],
  ])('describes a search that was %s', (_, more, text) => {
    expect(answerText(capacityReportOf(more))).toContain(text)
  })
})

test('answerText of a closed loop is in clients', () => {
  const [probe] = capacityReportOf().probes
  if (probe === undefined) throw new Error('the sketch has no probe')
  const missed = [64, 36].map((clients) => ({ ...probe, clients, verdict: 'missed' as const }))
  const concurrency = { value: 32, interval: [30, 34] as [number, number] }
  const result = { ...capacityReportOf().result, concurrency }
  expect(answerText(capacityReportOf({ loop: 'closed', result, probes: missed }))).toBe(
    '32.0 clients [30.0, 34.0] at 95 %, 42.1 req/s, limited by ttft.p95 < 1s; first failing 36 clients; at 70 % headroom 22.4 clients; ±6.25 %, which is what the budget of 1200 s decides',
  )
})

test('the terminal shows the answer first and last, the frontier and the probes', () => {
  expect(toTerminal(capacityDocument(capacityReportOf()), style)).toMatchInlineSnapshot(`
    "FOUND  42.1 req/s [39.8, 43.5] at 95 %, limited by ttft.p95 < 1s; first failing rate 44.0; at 70 %
           headroom 29.5
    Target  http://127.0.0.1:4010
    Search  ttft.p95 < 1s; mix openai-stream; seed a-seed

    In flight (Little’s law)  105 [99.5, 109]
    Tokens per second  2526 prompt, 5052 output
    Hysteresis  35.8/s right after an overload of 63.1/s is no worse than before.
    Drift  No change of the capacity over time stands out from the noise.

    Throughput and latency by load, ms
      rate  probes  completed/s  tokens/s  in flight  ttft p50/p95  tpot p50/p95  e2e p50/p95  verdict
      20.0       1         20.0      2400       50.0     180 / 400   20.0 / 25.0  2400 / 4200  met
      44.0       1         41.0      4900        190   1800 / 3100    22.0 / n/a  5400 / 8200  missed

    Probes
      met       probe 1: 20.0 req/s, search, 40 s at 2 s
                ttft.p95 < 1s: 400 ms, met; 0.5 % over, 5 % allowed
      met       probe 2: 38.0 req/s, search, 40 s at 2 s
                ttft.p95 < 1s: 400 ms, met; 0.5 % over, 5 % allowed
      missed    probe 3: 44.0 req/s, search, 40 s at 2 s
                ttft.p95 < 1s: 3100 ms, missed; 75 % over, 5 % allowed
                more than half of the requests are over ttft.p95 < 1s

    FOUND  42.1 req/s [39.8, 43.5] at 95 %, limited by ttft.p95 < 1s; first failing rate 44.0; at 70 %
           headroom 29.5
    "
  `)
})

describe('JUnit of a capacity report', () => {
  const junitOf = (more: Parameters<typeof capacityReportOf>[0] = {}) => {
    const report = capacityReportOf(more)
    return toJUnit(capacityDocument(report), report)
  }

  test('passes if the search found an answer', () => {
    expect(junitOf()).toContain('failures="0" errors="0"')
  })

  test.each(['below min', 'violated', 'undecided', 'unreachable', 'invalid'] as const)(
    'fails for the outcome %s',
    (outcome) => {
      expect(junitOf({ outcome })).toMatch(new RegExp(`<(failure|error) type="${outcome}"`))
    },
  )

  test('fails for an interrupted search', () => {
    expect(junitOf({ interrupted: true })).toContain('failures="1"')
  })

  test('names the requirements that probes violated', () => {
    const probes = [capacityProbeOf({ index: 4, violated: ['V3-SSE-08'] })]
    expect(junitOf({ probes })).toContain('message="violated: V3-SSE-08 in probe 4"')
  })
})

test('probes have the color of their verdict', () => {
  const verdicts = ['invalid', 'met', 'undecided', 'missed'] as const
  const probes = verdicts.map((verdict, index) => capacityProbeOf({ verdict, index }))
  const timeLine = capacityCharts(capacityReportOf({ probes })).find(({ id }) => id === 'time-line')
  const colors = timeLine?.series.map(({ name, color }) => [name, color])
  expect(Object.fromEntries(colors ?? [])).toEqual({
    ...{ met: 'pass', missed: 'fail', undecided: 'open', invalid: 'dim' },
  })
})
