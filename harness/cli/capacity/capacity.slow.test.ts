import { existsSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { capacityReport } from '../../../reports/capacity/model/report.ts'
import { loadReport } from '../../../reports/load/model/report.ts'
import { chatsOn, expectEnd, type Running, serving, workplace } from '../test-support/chatgen.ts'
import { served, withKey } from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 300_000 })

/** Searches with the real CLI. Limits are far above the latency that a busy machine adds. */

function searching() {
  const place = workplace(withKey)
  const reportOf = (name: string) => JSON.parse(place.read(`chatgen-results/${name}`))
  return { ...place, reportOf, found: () => capacityReport.parse(reportOf('report.json')) }
}

async function search(line: string) {
  const { run, found, ...place } = searching()
  const ended = await run(`capacity ${line}`)
  // Lines are wrapped.
  const stdout = ended.stdout.replaceAll(/\s+/g, ' ')
  return { ...place, ...ended, stdout, report: found() }
}

/** Repeats a search, at most four times, if a busy machine made it invalid. */
async function searchInTime(line: string) {
  let found = await search(line)
  for (let repeat = 0; repeat < 4 && found.report.outcome === 'invalid'; repeat++)
    found = await search(line)
  return found
}

/** One-word answers, so that a probe of two seconds has many. */
const short = '--probe 2s --rest 500ms --seed same'

/** One sequence at a time, 20 ms each: at most 50 per second on any machine. */
const oneAtATime = 'max-num-seqs=1,max-waiting=4,prefill=0ms/token,decode=20ms,decode-per-seq=0ms'

/** A search that `end` stops once it has three probes. */
async function endedAtProbe(line: string, end: (run: Running) => void) {
  const { start, at, found } = searching()
  const run = start(`capacity ${short} ${line}`)
  const third = at('chatgen-results/probes/002/report.json')
  await vi.waitFor(() => expect(existsSync(third)).toBe(true), 100_000)
  end(run)
  return { ...(await run.ended), report: found() }
}

describe('chatgen capacity', () => {
  test('ends with 0 if the maximum is met, with a load report per probe', async () => {
    const range = "--slo 'ttft.p50 < 20s' --min 30 --max 60 --report console,junit,markdown"
    const second = `--url ${await served()}`
    const found = await searchInTime(`${await served()} ${second} ${short} ${range}`)
    const { code, stdout, report, reportOf, read } = found
    expect(report).toMatchObject({ outcome: 'above max', result: { highestMet: 60, rate: null } })
    expect(stdout).toContain('at least 60.0 req/s')
    expect(report.probes.map(({ purpose }) => purpose)).toContain('baseline')
    for (const { index, report: path, samples, rate } of report.probes) {
      expect(path).toBe(`probes/${String(index).padStart(3, '0')}/report.json`)
      const own = loadReport.parse(reportOf(path ?? ''))
      expect(own.endpoints?.every(({ requests }) => requests > 0)).toBe(true)
      if (index > 0) expect(own.plan.arrival).toEqual({ kind: 'poisson', perSecond: rate })
      expect(samples?.ttftMs.length).toBeGreaterThan(0)
    }
    expect(read('chatgen-results/report.xml')).toContain('<testcase')
    expect(read('chatgen-results/report.md')).toContain('Above the maximum')
    expect(code).toBe(0)
  })

  test('ends with 1 if an SLO is missed at the minimum', async () => {
    const url = await served('--pace ttft=300ms')
    const ended = await searchInTime(`${url} ${short} --slo 'ttft.p90 < 50ms' --min 40 --max 80`)
    const result = { limitedBy: 'ttft.p90 < 50ms' }
    expect(ended.report).toMatchObject({ outcome: 'below min', result })
    expectEnd(ended, 1, { out: 'below 40.0 req/s, the minimum of the search' })
  })

  test('distinguishes a rate limit from saturation', async () => {
    const url = await served('--requests-per-minute 240 --pace ttft=100ms')
    const long = "--probe 12s --rest 500ms --seed same --slo 'ttft.p50 < 10s'"
    const ended = await searchInTime(`${url} ${long} --min 100 --max 400`)
    expectEnd(ended, 0, { out: 'limited by policy, not by capacity' })
    const { policyLimit, result } = ended.report
    const { refill, headers } = policyLimit ?? {}
    expect(result).toMatchObject({ limit: 'policy', limitedBy: 'failures <= 1%' })
    const [low = 0, high = 0] = refill?.interval ?? []
    expect(low).toBeLessThan(4)
    expect(high).toBeGreaterThan(4)
    expect(headers).toHaveProperty('retry-after')
  })

  test('ends with 6 if the generator was the bottleneck, with its rate', async () => {
    const url = await served('--pace ttft=500ms')
    const ended = await search(`${url} ${short} --slo 'ttft.p50 < 20s' --min 8 --max-in-flight 8`)
    const { report } = ended
    expectEnd(ended, 6, { out: 'the load generator was the bottleneck: it sustains' })
    expect(report).toMatchObject({ outcome: 'invalid', generator: { verdict: 'invalid' } })
    // Half a second each, at most eight at once: sixteen a second.
    expect(report.generator.holds).toBeLessThan(40)
    for (const { valid, verdict } of report.probes) expect(valid).toBe(verdict !== 'invalid')
  })

  test('ends with 130 if it is interrupted, with the bracket so far', async () => {
    const url = await served(`--engine ${oneAtATime}`)
    const line = `${url} --slo 'errors < 20%' --min 1 --mix v3-json`
    const { report, ...ended } = await endedAtProbe(line, (run) => run.child.kill('SIGINT'))
    expectEnd(ended, 130, { out: /^INTERRUPTED/ })
    expect(report.interrupted).toBe(true)
    expect(report.probes.length).toBeGreaterThanOrEqual(3)
    const { highestMet, firstFailing } = report.result
    expect(highestMet ?? firstFailing ?? report.probes.length).toBeGreaterThan(0)
    expect(await chatsOn(url, withKey.CHATGEN_API_KEY)).toEqual([])
  })

  test('ends with 3 if the target dies, with the bracket so far', async () => {
    const { run: server, url } = await serving(`--key ${withKey.CHATGEN_API_KEY}`)
    const line = `${url} --slo 'ttft.p50 < 20s' --min 30`
    const { report, ...ended } = await endedAtProbe(line, () => server.child.kill('SIGKILL'))
    expectEnd(ended, 3, { out: /^UNREACHABLE/ })
    expect(report).toMatchObject({ outcome: 'unreachable', interrupted: false })
    expect(report.result.firstFailing).toBeNull()
    expect(report.probes.at(-1)?.valid).toBe(false)
  })
})
