import { describe, expect, test, vi } from 'vitest'
import { oddServer } from '../../load/test-support/odd-server.ts'
import { beginningWith, chatgen, expectEnd } from '../test-support/chatgen.ts'
import { type Loaded, load, served, withKey } from './test-support/loading.ts'

vi.setConfig({ testTimeout: 90_000 })

describe('chatgen load ends with', () => {
  test.each(['load --rate 1 --duration 1s --workers 2', "capacity --slo 'ttft.p95 < 1s'"])(
    '4 for a thread that cannot start, at once: %s',
    async (line) => {
      const preload =
        "import { isMainThread } from 'node:worker_threads'\nif (!isMainThread) throw new Error('no module')"
      const env = { ...withKey, ...beginningWith(preload) }
      const err = /internal error[\s\S]*a load worker failed to start: Error: no module/
      expectEnd(await chatgen(`${line} ${await served()}`, env), 4, { err })
    },
  )

  test('6 if more was due than the generator could send', async () => {
    const url = await served('--pace ttft=1s')
    const ended = await load(`${url} --rate 50 --duration 1s --max-in-flight 5 --drain 3s`)
    const { generator, outcome } = ended.report
    expect(generator.reasons.join()).toContain('were not sent: too many were in flight')
    expect(outcome).toBe('invalid')
    expectEnd(ended, 6, { out: /^INVALID/ })
  })
})

const constant = '--arrival constant'
/** Requests before the load that detect surfaces and models. */
const discovery = 2

/** Expects INVALID if a busy machine let the generator fall behind, as no SLO counts then. */
function expectOutcome(ended: Loaded, word: string, code: number) {
  const late = ended.report.generator.verdict === 'invalid'
  expectEnd(ended, late ? 6 : code, { out: late ? /^INVALID / : new RegExp(`^${word} `) })
}

describe('a target that answers 503 to two of three', () => {
  const run = async (more: string) => {
    const { url } = await oddServer((n) => (n % 3 === 2 ? 'well' : 503))
    return load(`${url} --rate 60 ${constant} --duration 1s ${more}`)
  }

  test('is missed, though the SLO on those that it answers is met', async () => {
    const ended = await run("--slo 'rate > 0.1/s'")
    const { stdout, report } = ended
    expect(report.slo.map(({ verdict }) => verdict)).toEqual(['met', 'missed'])
    expect(stdout).toMatch(/^\w+ {2}1 of 1 SLO met; 6\d % of requests refused \(503\);/)
    expect(stdout).toMatch(/4\d of 60 due requests were refused \(503\); 1 % may be\./)
    expect(stdout).toMatch(/429: 0, 5xx: 4\d, dropped connections: 0, timeouts: 0, retries: 0/)
    expect(report.disturbances).toMatchObject({ tooManyRequests: 0, retries: 0 })
    expect(report.disturbances?.serverErrors).toBe(report.errors[0]?.count)
    expectOutcome(ended, 'MISSED', 1)
  })

  test.each(["--slo 'goodput > 5%'", '--max-refusals 90%'])(
    'is met if %s allows it, and the first line still says so',
    async (more) => {
      const ended = await run(more)
      expect(ended.stdout).toMatch(/6\d % of requests refused \(503\);/)
      expect(ended.report.slo.filter(({ verdict }) => verdict !== 'met')).toEqual([])
      expectOutcome(ended, 'MET', 0)
    },
  )
})

test('nothing measured is never met: requests that are all open at the end', async () => {
  const { url } = await oddServer((n) => (n < discovery ? 200 : 'silent'))
  const run = await load(`${url} --rate 20 ${constant} --duration 1s --drain 200ms`)
  const { stdout, report } = run
  expect(report.goodput.due).toBe(0)
  expect(stdout).toMatch(/^\w+ {2}built-in SLOs only; .* nothing was\s+measured;/s)
  expect(stdout).toContain('20 requests were still open at the end')
  expectOutcome(run, 'UNDECIDED', 5)
})
