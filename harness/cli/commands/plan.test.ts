import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { planReport } from '../../../contract/report/plan.ts'
import { capacityToJson } from '../../../reports/text/digest.ts'
import { simulatedReport } from '../../plan/test-support/simulated-report.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'

describe('chatgen plan', () => {
  const folder = emptyFolder()
  const from = join(folder, 'capacity.json')
  const plan = (...args: string[]) => chatgen(['plan', '--from', from, '--out', folder, ...args])

  beforeAll(() => {
    const rates = [0.5, 1, 2, 3, 3.5, 4, 4.5, 5]
    writeFileSync(from, capacityToJson(simulatedReport({ rates, durationMs: 60_000 })))
  })

  test('prints the replicas and writes plan.json', async () => {
    const { code, stdout } = await plan(
      '--demand',
      'rate=20/s',
      '--slo',
      'ttft.p95 < 1s',
      '--price',
      '2.40/h',
    )
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
    const { code, stdout } = await plan('--demand', trace, '--slo', 'ttft.p95 < 1s')
    expect(code).toBe(0)
    // Where the line breaks depends on the length of the path.
    expect(stdout).toMatch(/14:00 to 15:00:\s+10000 req\/s/)
    expect(stdout).toMatch(/fluid approximation/)
  })

  test('ends with 1 where no number of replicas meets the SLO', async () => {
    const { code, stdout } = await plan('--demand', 'rate=2/s', '--slo', 'ttft.p50 < 5ms')
    expect(stdout).toMatch(/UNATTAINABLE {2}no number of replicas/)
    expect(code).toBe(1)
  })

  test.each([
    [['--demand', 'rate=x'], /--demand: cannot read "rate=x"/],
    [['--demand', 'nowhere.csv'], /cannot read nowhere\.csv/],
    [['--demand', 'rate=2/s', '--slo', 'ttfo.p95 < 1s'], /ttfo is not predicted/],
    [['--demand', 'rate=2/s', '--price', 'cheap'], /--price: cannot read/],
    [[], /no demand given/],
  ])('ends with 2 for %j', async (args, message) => {
    const { code, stderr } = await plan(...args)
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })

  test('names the bad line of a trace, and a file that is no capacity report', async () => {
    const trace = join(folder, 'bad.csv')
    writeFileSync(trace, 'at,rate\n0,1\n60,many\n')
    const bad = await plan('--demand', trace)
    expect(bad).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bad.csv:3: rate: must be'),
    })
    const other = join(folder, 'other.json')
    writeFileSync(other, '{"kind":"load-report"}')
    const wrong = await chatgen(['plan', '--from', other, '--demand', 'rate=2/s'])
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a load-report, not a capacity report'),
    })
  })
})
