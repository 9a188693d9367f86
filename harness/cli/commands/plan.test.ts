import { readFileSync, writeFileSync } from 'node:fs'
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
import { emptyFolder, expectEnd } from '../test-support/chatgen.ts'
import { inProcess } from '../test-support/in-process.ts'

type Measured = 'found' | 'undecided' | 'invalid'

describe('chatgen plan', () => {
  const folder = emptyFolder()
  const from = join(folder, 'capacity.json')
  const plan = (...args: string[]) => inProcess(['plan', '--from', from, '--out', folder, ...args])

  beforeAll(() => {
    const rates = [0.5, 1, 2, 3, 3.5, 4, 4.5, 5]
    writeFileSync(from, reportToJson(simulatedReport({ rates, durationMs: 60_000 })))
  })

  test('prints the replicas and writes plan.json', async () => {
    const demand = ['--demand', 'rate=20/s', '--price', '2.40/h']
    const { code, stdout } = await plan(...demand, '--slo', 'ttft.p95 < 1s')
    expect(stdout).toMatch(/^PLAN {2}[56] replicas for 20\.0 req\/s/)
    const { replicas, withSpare, rows, outcome } = planReport.parse(
      JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')),
    )
    expect({ code, outcome, spare: (withSpare ?? 0) - (replicas ?? 0) }).toEqual({
      code: 0,
      outcome: 'found',
      spare: 1,
    })
    const planned = rows.find((row) => row.replicas === replicas)
    expect(planned?.costPerHour).toBeCloseTo(2.4 * (replicas ?? 0), 6)
  })

  test('plans the hour of the peak of a day with 864 million requests in one replica’s share', async () => {
    const trace = join(folder, 'day.csv')
    const hours = Array.from({ length: 24 }, (_, hour) => {
      return `${String(hour).padStart(2, '0')}:00,${hour === 14 ? 10_000 : 4000}`
    })
    writeFileSync(trace, ['at,rate', ...hours].join('\n'))
    // The line break depends on the length of the path.
    const out = [/14:00 to 15:00:\s+10000 req\/s/, 'fluid approximation']
    expectEnd(await plan('--demand', trace, '--slo', 'ttft.p95 < 1s'), 0, { out })
  })

  test('ends with 1 if no number of replicas meets the SLO', async () => {
    const ended = await plan('--demand', 'rate=2/s', '--slo', 'ttft.p50 < 5ms')
    expectEnd(ended, 1, { out: 'UNATTAINABLE  no number of replicas' })
  })

  test('ends with 5 if too little was measured', async () => {
    const file = join(emptyFolder(), 'one.json')
    writeFileSync(file, reportToJson(simulatedReport({ rates: [1], durationMs: 30_000 })))
    const ended = await inProcess(['plan', '--from', file, '--demand', 'rate=2/s'])
    expectEnd(ended, 5, { err: 'one.json: only one rate of it can be used' })
  })

  describe('from a measurement that was not decided', () => {
    const demand = ['--demand', 'rate=20/s', '--price', '2.40/h']
    const formats = ['--report', 'console,html,markdown,junit']
    const planned = async (names: readonly Measured[], ...args: readonly string[]) => {
      const out = emptyFolder()
      const from = names.flatMap((name) => ['--from', join(folder, `${name}.json`)])
      const given = ['plan', ...from, ...demand, ...formats, '--out', out, ...args]
      const ended = await inProcess(given)
      const read = (file: string) => readFileSync(join(out, file), 'utf8')
      return { ...ended, read, report: planReport.parse(JSON.parse(read('plan.json'))) }
    }

    beforeAll(() => {
      const found = simulatedReport({ rates: [1, 2, 4, 5], durationMs: 30_000 })
      const reports: Record<Measured, CapacityReport> = {
        found,
        undecided: endedUndecided(found),
        invalid: endedInvalid(found),
      }
      for (const [name, report] of Object.entries(reports)) {
        writeFileSync(join(folder, `${name}.json`), reportToJson(report))
      }
    })

    test('gives no number of replicas and ends with 6 if it is invalid', async () => {
      const { code, stdout, read, report } = await planned(['invalid'])
      expect(code).toBe(6)
      expect(report).toMatchObject({
        ...{ outcome: 'invalid', replicas: null, safeReplicas: null, withSpare: null, rows: [] },
        ...{ service: null, sustainable: null, scalability: null },
        measured: [{ basis: 'invalid', caveat: expect.stringMatching('was the bottleneck') }],
      })
      const text = stdout.replaceAll(/\s+/g, ' ')
      expect(text).toMatch(/^INVALID no number of replicas for 20\.0 req\/s; /)
      expect(text).toMatch(/the load generator was the bottleneck \(it holds 2\.00 req\/s\)/)
      expect(text).toMatch(/measure again with chatgen capacity on an idle machine/)
      const documents = [stdout, read('plan.html'), read('plan.md'), read('plan.xml')]
      for (const document of documents) {
        expect(document).toMatch(/Invalid|INVALID/)
        expect(document).not.toMatch(/\d+ replicas? for|with one spare|sustain|2\.40/)
      }
    })

    test('is provisional and ends with 5 if it is undecided', async () => {
      const { read, report, ...ended } = await planned(['undecided'])
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

    test.each<[readonly Measured[], number, RegExp]>([
      [['undecided'], 5, /^PROVISIONAL {2}\d replicas .* is undecided: .*\n$/],
      [['found', 'invalid'], 6, /^INVALID {2}no number of replicas .* is invalid: .*\n$/],
    ])('says so in the one line of --quiet, the worst of %j', async (names, code, out) => {
      expectEnd(await planned(names, '--quiet'), code, { out })
    })

    test('plans no replicas for the hours of a trace from an invalid one', async () => {
      const trace = join(folder, 'hours.csv')
      writeFileSync(trace, ['at,rate', '0,10', '3600,20', '7200,20'].join('\n'))
      const { code, report } = await planned(['invalid'], '--demand', trace)
      expect([code, report.demand]).toMatchObject([6, { kind: 'trace', hours: [] }])
    })
  })
})
