import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { oddServer } from '../../load/test-support/odd-server.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { load, loadInTime, served } from './test-support/loading.ts'

vi.setConfig({ testTimeout: 90_000 })

/** Exit codes of load runs, with the real CLI. */

describe('chatgen load ends with', () => {
  test('0 where every stream is whole and the SLO is met', async () => {
    const url = await served()
    const { code, stdout, report } = await loadInTime([
      url,
      '--rate',
      '40',
      '--duration',
      '2s',
      '--slo',
      'errors < 50%',
    ])
    expect(report.outcome).toBe('met')
    expect(stdout).toMatch(/^MET/)
    expect(code).toBe(0)
    expect(report).toMatchObject({ errors: [], open: 0, faults: [], interrupted: false })
    expect(report.integrity.streams).toBe(report.plan.transactions)
    expect(report.integrity.findings).toEqual([])
    expect(report.integrity.held).toContain('OAI-STREAM-03')
    // Little's law holds on average; a short run on a busy machine may deviate.
    const laws = report.audits.filter(({ name }) => name !== 'littles-law')
    expect(laws.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  })

  test('1 where the SLO is missed', async () => {
    const url = await served('--pace', 'ttft=80ms')
    const args = [url, '--rate', '60', '--arrival', 'constant', '--duration', '2s']
    const { code, report } = await loadInTime([...args, '--slo', 'ttft.p50 < 5ms'])
    expect(report.slo).toMatchObject([{ expression: 'ttft.p50 < 5ms', verdict: 'missed' }])
    expect(report.outcome).toBe('missed')
    expect(code).toBe(1)
  })

  test('1 where streams are truncated and no SLO says how many may be', async () => {
    const { url } = await oddServer((n) => (n % 5 === 4 ? 'cut' : 'well'))
    const { code, stdout, report } = await load([url, '--rate', '40', '--duration', '1s'])
    expect(report.outcome).toBe('violated')
    expect(stdout).toMatch(/^VIOLATED .* \d+ responses\s+truncated/s)
    expect(stdout).toContain('no answer is truncated')
    expect(code).toBe(1)
  })

  test('5 where the run was too short to decide the SLO, and says what it takes', async () => {
    const url = await served()
    const args = [url, '--rate', '10', '--arrival', 'constant', '--duration', '2s']
    const { code, stdout, report } = await loadInTime([...args, '--slo', 'errors < 0.1%'])
    expect(report.slo).toMatchObject([{ verdict: 'undecided', needed: expect.any(Number) }])
    expect(report.outcome).toBe('undecided')
    expect(stdout).toMatch(/^UNDECIDED/)
    expect(stdout).toContain('more clean requests needed')
    expect(code).toBe(5)
  })

  test('1 where a stream is violated, and names the requirement and the first that shows it', async () => {
    const url = await served('--fault', 'stream-last-delta-dropped')
    const args = [url, '--rate', '10', '--duration', '1s', '--mix', 'v3-stream']
    const { code, stdout, report } = await load(args)
    expect(report.outcome).toBe('violated')
    expect(report.integrity.findings).toMatchObject([
      { id: 'V3-SSE-17', level: 'required', rate: 1, first: { step: 0, operation: 'v3.generate' } },
    ])
    expect(report.goodput.good).toBe(0)
    expect(stdout).toContain('V3-SSE-17')
    expect(code).toBe(1)
  })

  test.each([
    ['no load', [], 'no load given: pass --rate N'],
    [
      'two loads',
      ['--rate', '1', '--concurrency', '2'],
      '--rate and --concurrency exclude each other',
    ],
    ['no number', ['--rate', 'fast'], 'must be a number of transactions per second'],
    ['no time', ['--rate', '1', '--duration', '30'], 'must be a time, e.g. 500ms, 30s'],
    ['no ramp', ['--ramp', '0-100'], 'must be FROM..TO/TIME'],
    ['no shard', ['--rate', '1', '--shard', '9/8'], 'must be I/N'],
    ['an unknown mix', ['--rate', '1', '--mix', 'v3-strem'], 'Did you mean v3-stream?'],
    [
      'an unknown manner',
      ['--rate', '1', '--misbehave', 'rude=1'],
      'expected one of slow-reader, abort, churn',
    ],
    [
      'a surface that the mix has not',
      ['--rate', '1', '--mix', 'v2', '--surface', 'v3'],
      'has no transactions for v3',
    ],
    ['an unknown flag', ['--rat', '1'], 'Did you mean --rate?'],
    ['no target', ['--rate', '1'], 'no target given: pass the URL'],
  ])('2 for %s', async (_, args, sentence) => {
    const { code, stdout, stderr } = await chatgen(['load', ...args])
    expect(stderr).toContain(sentence)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test('2 for an SLO that cannot be read, and points at the place', async () => {
    const { code, stderr } = await chatgen(['load', '--rate', '1', '--slo', 'ttft.p95 < 500'])
    expect(stderr).toContain('ttft.p95 < 500')
    expect(stderr).toMatch(/\^$/m)
    expect(code).toBe(2)
  })

  test('2 for a mix with a mistake, and says file, line and field', async () => {
    const folder = emptyFolder()
    const text = 'transactions:\n  - kind: v3-stream\n    wieght: 2\n  - kind: v4\n'
    writeFileSync(join(folder, 'mix.yaml'), text)
    const args = ['load', '--rate', '1', '--mix', 'mix.yaml', '--dry-run']
    const { code, stderr } = await chatgen(args, {}, folder)
    expect(stderr).toContain(
      'mix.yaml:3: transactions.0.wieght: there is no such field. Did you mean weight?',
    )
    expect(stderr).toContain('mix.yaml:4: transactions.1.kind: invalid option')
    expect(code).toBe(2)
  })

  test('3 where nothing listens, in one line', async () => {
    const { code, stderr } = await chatgen(['load', 'http://127.0.0.1:1', '--rate', '1'])
    expect(stderr.trim()).toBe('chatgen: http://127.0.0.1:1: nothing listens there (ECONNREFUSED)')
    expect(code).toBe(3)
  })

  test('3 where the key is refused', async () => {
    const url = await served()
    const wrong = { CHATGEN_API_KEY: 'sk-wrong-key' }
    const { code, stderr } = await chatgen(['load', url, '--rate', '1'], wrong)
    expect(stderr).toContain('refuses the key')
    expect(code).toBe(3)
  })

  test('6 where more was due than the generator could send', async () => {
    const url = await served('--pace', 'ttft=1s')
    const args = [url, '--rate', '50', '--duration', '1s', '--max-in-flight', '5', '--drain', '3s']
    const { code, stdout, report } = await load(args)
    expect(report.generator.reasons.join()).toContain('were not sent: too many were in flight')
    expect(report.outcome).toBe('invalid')
    expect(stdout).toMatch(/^INVALID/)
    expect(code).toBe(6)
  })
})
