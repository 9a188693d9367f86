import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import { planReport } from '../../../reports/plan/model.ts'
import { reportToJson } from '../../../reports/text/digest.ts'
import {
  endedInvalid,
  endedUndecided,
  simulatedReport,
} from '../../plan/test-support/simulated-report.ts'
import { emptyFolder, expectEnd, workplace } from '../test-support/chatgen.ts'
import { inProcess } from '../test-support/in-process.ts'

describe('chatgen plan', () => {
  const rates = [0.5, 1, 2, 3, 3.5, 4, 4.5, 5]
  const found = simulatedReport({ rates: [1, 2, 4, 5], durationMs: 30_000 })
  const reports: Readonly<Record<string, CapacityReport>> = {
    capacity: simulatedReport({ rates, durationMs: 60_000 }),
    one: simulatedReport({ rates: [1], durationMs: 30_000 }),
    ...{ found, undecided: endedUndecided(found), invalid: endedInvalid(found) },
  }
  const { folder, read, write } = workplace()
  const run = (line: string) => inProcess(`plan ${line}`, {}, folder)
  const plan = (line: string) => run(`--from capacity.json ${line}`)

  beforeAll(() => {
    for (const [name, report] of Object.entries(reports))
      write(`${name}.json`, reportToJson(report))
  })

  test('prints the replicas and writes plan.json', async () => {
    const demand = '--demand rate=20/s --price 2.40/h --out .'
    const { code, stdout } = await plan(`${demand} --slo 'ttft.p95 < 1s'`)
    expect(stdout).toMatch(/^PLAN {2}[56] replicas for 20\.0 req\/s/)
    const { replicas, withSpare, rows, outcome } = planReport.parse(JSON.parse(read('plan.json')))
    expect({ code, outcome, spare: (withSpare ?? 0) - (replicas ?? 0) }).toEqual({
      code: 0,
      outcome: 'found',
      spare: 1,
    })
    const planned = rows.find((row) => row.replicas === replicas)
    expect(planned?.costPerHour).toBeCloseTo(2.4 * (replicas ?? 0), 6)
  })

  test('plans the peak hour of a day', async () => {
    const hours = Array.from({ length: 24 }, (_, hour) => {
      return `${String(hour).padStart(2, '0')}:00,${hour === 14 ? 10_000 : 4000}`
    })
    write('day.csv', ['at,rate', ...hours].join('\n'))
    const out = [/14:00 to 15:00:\s+10000 req\/s/, 'fluid approximation']
    expectEnd(await plan(`--demand day.csv --slo 'ttft.p95 < 1s'`), 0, { out })
  })

  test.each([
    [
      "concurrency=60 --slo 'rate > 1/s'",
      [/7 replicas for 60 concurrent users/, /9 replicas: 8\d/],
    ],
    ["rate=20/s --from found.json --price '3 EUR/h'", [/15\.00 EUR\/h/, /lambda 42\.1, sigma 1/]],
  ])('plans for %s, also with 9 replicas', async (flags, out) => {
    const slos = "--slo 'errors < 1%' --slo 'goodput(ttft < 1s) > 90%'"
    expectEnd(await plan(`--replicas 9 ${slos} --demand ${flags}`), 0, { out })
  })

  test('ends with 1 if no number of replicas meets the SLO', async () => {
    const ended = await plan(`--demand rate=2/s --slo 'ttft.p50 < 5ms'`)
    expectEnd(ended, 1, { out: 'UNATTAINABLE  no number of replicas' })
  })

  test('ends with 5 if too little was measured', async () => {
    expectEnd(await run('--from one.json --demand rate=2/s'), 5, {
      err: 'one.json: only one rate of it can be used',
    })
  })

  describe('from an undecided or invalid measurement', () => {
    const planned = async (line: string) => {
      const out = emptyFolder()
      const flags = '--demand rate=20/s --price 2.40/h --report console,html,markdown,junit'
      const ended = await run(`--out ${out} ${flags} ${line}`)
      const read = (file: string) => readFileSync(join(out, file), 'utf8')
      return { ...ended, read, report: planReport.parse(JSON.parse(read('plan.json'))) }
    }

    test('gives no number of replicas and ends with 6 if it is invalid', async () => {
      const { code, stdout, read, report } = await planned('--from invalid.json')
      expect(code).toBe(6)
      expect(report).toMatchObject({
        ...{ outcome: 'invalid', replicas: null, safeReplicas: null, withSpare: null, rows: [] },
        ...{ service: null, sustainable: null, scalability: null },
        measured: [{ basis: 'invalid', caveat: expect.stringMatching('was the bottleneck') }],
      })
      const text = stdout.replaceAll(/\s+/g, ' ')
      expect(text).toMatch(/^INVALID no number of replicas for 20\.0 req\/s; /)
      expect(text).toMatch(/the load generator was the bottleneck \(it handles 2\.00 req\/s\)/)
      expect(text).toMatch(/measure again with chatgen capacity on an idle machine/)
      const documents = [stdout, read('plan.html'), read('plan.md'), read('plan.xml')]
      for (const document of documents) {
        expect(document).toMatch(/Invalid|INVALID/)
        expect(document).not.toMatch(/\d+ replicas? for|with one spare|sustain|2\.40/)
      }
    })

    test('is provisional and ends with 5 if it is undecided', async () => {
      const { read, report, ...ended } = await planned('--from undecided.json')
      const caveat = /undecided\.json\s+is\s+undecided:\s+its\s+budget/
      expectEnd(ended, 5, { out: [/^PROVISIONAL {2}\d replicas for 20\.0 req\/s/, caveat] })
      expect(report).toMatchObject({ outcome: 'provisional', measured: [{ basis: 'undecided' }] })
      expect(report.replicas).toBeGreaterThan(1)
      expect(read('plan.html')).toMatch(/<h1><span class="outcome undecided">Provisional</)
      expect(read('plan.html')).toContain('"x":{"label":"replicas","scale":"whole","values":[')
      expect(read('plan.html')).toContain(
        '"limits":[{"label":"ttft.p95 \\u003c 400ms","value":400}]',
      )
      expect(read('plan.md')).toMatch(/^## ⚠️ Provisional/)
      expect(read('plan.xml')).toMatch(/<failure type="provisional" message="Provisional: /)
    })

    test.each<[string, number, RegExp]>([
      ['--from undecided.json', 5, /^PROVISIONAL {2}\d replicas .* is undecided: .*\n$/],
      [
        '--from found.json --from invalid.json',
        6,
        /^INVALID {2}no number of replicas .* is invalid: .*\n$/,
      ],
    ])('has one line with --quiet, for the worst of %s', async (from, code, out) => {
      expectEnd(await planned(`${from} --quiet`), code, { out })
    })

    test('plans no hours of a trace from an invalid measurement', async () => {
      write('hours.csv', 'at,rate\n0,10\n3600,20\n7200,20')
      const { code, report } = await planned('--from invalid.json --demand hours.csv')
      expect([code, report.demand]).toMatchObject([6, { kind: 'trace', hours: [] }])
    })
  })
})
