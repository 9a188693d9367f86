import { describe, expect, test, vi } from 'vitest'
import { type LoadReport, loadReport } from '../../reports/load/model/report.ts'
import { parseSlos } from './slo/parse.ts'
import { load } from './test-support/drive.ts'
import { type Manner, oddServer } from './test-support/odd-server.ts'

vi.setConfig({ testTimeout: 60_000 })

const always = (manner: Manner) => () => manner
const everyFourth = (manner: Manner) => (n: number) => (n % 4 === 3 ? manner : 'well')
/** No SLO counts if the generator fell behind, as on a busy machine. */
const outcomeOf = ({ generator }: LoadReport, outcome: string) =>
  generator.verdict === 'invalid' ? 'invalid' : outcome
const errorsOf = ({ errors }: LoadReport) =>
  errors.map(({ kind, detail, count }) => [kind, detail, count])

test('a run without failures is met and accounts for all requests', async () => {
  const server = await oddServer(always('well'))
  const report = await load(server.url)
  expect(loadReport.parse(report)).toEqual(report)
  expect(server.requests()).toBe(20)
  expect(report).toMatchObject({ errors: [], slo: [], open: 0, interrupted: false })
  expect(report.outcome).toBe(outcomeOf(report, 'met'))
  expect(report.integrity).toMatchObject({ streams: 20, events: 20 * 8, findings: [] })
  expect(report.goodput).toMatchObject({ good: 20, due: 20, share: 1 })
  expect(report.audits.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  expect(report.connections.opened).toBe(server.connections())
})

describe('a failure is reported by kind', () => {
  test('with its count, for all kinds in one run', async () => {
    const ways: readonly [Manner, string, string][] = [
      ['reset', 'connect', 'E_PEER_CLOSED before headers'],
      [400, 'status', '400'],
      [503, 'status', '503'],
      [429, 'shed', '429'],
      ['cut', 'truncated', 'the connection was cut'],
      ['without end', 'truncated', 'the stream has no terminal event'],
      ['error inside', 'in-band-error', '{"code":"overloaded"}'],
      ['not JSON', 'integrity', 'OAI-STREAM-01'],
      ['silent', 'timeout', 'before headers'],
      ['stuck', 'timeout', 'inside the body'],
    ]
    const server = await oddServer((n) => ways[n % 12]?.[0] ?? 'well')
    const report = await load(server.url, {
      seconds: 2.4,
      timeoutMs: 5000,
      options: { drainMs: 30_000 },
    })
    const ended = ways.map(([, kind, detail]) => [kind, detail, 4])
    expect(errorsOf(report)).toHaveLength(ended.length)
    expect(errorsOf(report)).toEqual(expect.arrayContaining(ended))
    expect(report.goodput).toMatchObject({ good: 8, due: 48 })
    expect(report.audits.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  })

  test('except a stream cut after [DONE], which is only a warning', async () => {
    const server = await oddServer(everyFourth('cut after [DONE]'))
    const report = await load(server.url)
    expect(report.errors).toEqual([])
    expect(report.outcome).toBe(outcomeOf(report, 'met'))
    expect(report.goodput).toMatchObject({ good: 20, due: 20 })
    expect(report.integrity.findings).toMatchObject([
      { id: 'OAI-STREAM-09', level: 'expected', broken: 5, of: 20 },
    ])
    const strict = await load(server.url, { options: { strict: true } })
    expect(strict.outcome).toBe('violated')
    expect(report.audits.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  })

  test.each([
    ['an occasional answer without text is legal', everyFourth('no text'), 'expected', 'met'],
    ['a run without any text is undecided', always('no text'), 'expected', 'undecided'],
    ['text in another field is a violation', everyFourth('text elsewhere'), 'required', 'violated'],
  ] as const)('%s', async (_, manner, level, outcome) => {
    const report = await load((await oddServer(manner)).url)
    const [finding] = report.integrity.findings
    expect(finding).toMatchObject({ id: 'OAI-STREAM-04', level, of: 20 })
    const isViolation = level === 'required'
    expect(report.goodput.good).toBe(isViolation ? 15 : 20)
    expect(report.outcome).toBe(isViolation ? outcome : outcomeOf(report, outcome))
  })

  test('and missed without an SLO if all connections are refused', async () => {
    const report = await load('http://127.0.0.1:1')
    expect(errorsOf(report)).toEqual([['connect', 'ECONNREFUSED', 20]])
    expect(report.goodput.good).toBe(0)
    expect(report.slo).toMatchObject([
      { expression: 'no answer is missing', verdict: 'missed', observed: 20 },
      { expression: 'some answer is whole', verdict: 'missed', observed: 0 },
    ])
  })
})

describe('without an SLO on failures', () => {
  const truncated = 'no answer is truncated'

  const message = '5 of 20 due requests received a truncated answer.'

  test.each<[Manner, string]>([
    // A connection that is cut breaks OAI-STREAM-12, in a load as in a check.
    ['cut', 'violated'],
    ['without end', 'missed'],
  ])('a truncated stream is missed: %s', async (manner, outcome) => {
    const server = await oddServer(everyFourth(manner))
    const report = await load(server.url, { options: { slos: parseSlos(['ttft.p50 < 60s']) } })
    expect(report.slo.at(-1)).toMatchObject({
      ...{ expression: truncated, verdict: 'missed', observed: 5, implied: true },
      message: expect.stringContaining(message),
    })
    expect(loadReport.parse(report)).toEqual(report)
    expect(report.outcome).toBe(outcome === 'violated' ? outcome : outcomeOf(report, outcome))
  })
})

test('a stream that closes after its finish_reason is whole, with or without [DONE]', async () => {
  const server = await oddServer(always('without [DONE]'))
  const report = await load(server.url)
  expect(report).toMatchObject({ errors: [], slo: [], goodput: { good: 20, due: 20 } })
  expect(report.integrity.findings).toMatchObject([{ id: 'OAI-STREAM-09', broken: 20 }])
  expect(report.metrics.find(({ name }) => name === 'e2e')?.service?.count).toBe(20)
})

test('a duplicate id is detected', async () => {
  const server = await oddServer(always('same id'))
  const { integrity } = await load(server.url)
  expect(integrity.duplicateIds).toEqual({ ids: 1, duplicates: 19 })
  expect(integrity.findings).toMatchObject([
    {
      id: 'OAI-CHAT-14',
      level: 'expected',
      broken: 19,
      of: 20,
      first: { why: 'The id one was already used.' },
    },
  ])
})

test('requests in flight at the end are open, not failed', async () => {
  const server = await oddServer(everyFourth('stuck'))
  const report = await load(server.url, { options: { drainMs: 3_000 } })
  expect(report).toMatchObject({ open: 5, errors: [] })
  expect(report.goodput).toMatchObject({ good: 15, due: 15 })
})

test('an open loop never waits for answers, a closed loop does', async () => {
  const open = await oddServer(always('silent'))
  await load(open.url, { options: { drainMs: 100 } })
  await vi.waitFor(() => expect(open.requests()).toBe(20), 20_000)
  const closed = await oddServer(always('silent'))
  await load(closed.url, {
    spec: { arrival: { kind: 'closed', concurrency: 3, maxTransactions: 1e8 } },
    options: { drainMs: 100 },
  })
  expect(closed.requests()).toBe(3)
})

test('a shard of a closed loop without clients sends nothing and is undecided', async () => {
  const server = await oddServer(always('well'))
  const { generator, outcome, rates } = await load(server.url, {
    spec: { arrival: { kind: 'closed', concurrency: 1, maxTransactions: 1e8 } },
    options: { shard: { index: 1, of: 2 } },
  })
  expect(rates.dispatched.wholeRun).toBe(0)
  expect(generator.reasons.join()).not.toContain('no request was sent')
  expect(outcome).toBe('undecided')
})

test('each request has its own connection without keep-alive', async () => {
  const server = await oddServer(always('well'))
  const report = await load(server.url, { options: { keepAlive: false } })
  expect(server.connections()).toBe(20)
  expect(report.connections).toMatchObject({ opened: 20, reused: 0 })
})

describe('misbehaving clients', () => {
  const only = (more: object) => ({ misbehavior: { slowReader: 0, abort: 0, churn: 0, ...more } })

  test('abort in mid-stream, and the server sees them leave', async () => {
    const server = await oddServer(always('well'), { tokens: 60, gapMs: 5 })
    const report = await load(server.url, { spec: only({ abort: 1 }) })
    expect(report.left.abort).toBe(20)
    await vi.waitFor(() => expect(server.left()).toBe(20), 20_000)
    expect(report.metrics.find(({ name }) => name === 'e2e')?.service?.count ?? 0).toBe(0)
  })

  test('churn: one connection each, left before the answer', async () => {
    const server = await oddServer(always('well'), { tokens: 60, gapMs: 5 })
    const report = await load(server.url, { spec: only({ churn: 1 }) })
    expect(report.left.churn).toBe(20)
    await vi.waitFor(() => expect(server.connections()).toBe(20), 20_000)
  })

  test('read slowly to the end, and their streams are judged', async () => {
    const server = await oddServer(always('well'))
    const report = await load(server.url, { spec: only({ slowReader: 1 }) })
    expect(report.left.slowReader).toBe(20)
    expect(report.integrity).toMatchObject({ streams: 20, findings: [] })
  })
})

test('a run that sends no request is invalid', async () => {
  const server = await oddServer(always('well'))
  const report = await load(server.url, { kind: 'v2-turn' })
  expect(report.outcome).toBe('invalid')
  expect(report.generator.reasons).toContain('no request was sent')
  expect(report.audits.find(({ name }) => name === 'conservation-transactions')).toMatchObject({
    verdict: 'fail',
    expected: 20,
    observed: 0,
  })
})

test('requests due less than a millisecond before the end are sent', async () => {
  const server = await oddServer(always('well'))
  for (let run = 0; run < 12; run += 1) {
    const report = await load(server.url, { kind: 'openai-json', perSecond: 1000, seconds: 0.0497 })
    const audit = report.audits.find(({ name }) => name === 'conservation-transactions')
    expect(audit?.message).toBe('50 due = 50 started + 0 not sent.')
  }
})

test('a shard that starts late is invalid', async () => {
  const server = await oddServer(always('well'))
  const report = await load(server.url, { options: { startAt: new Date(Date.now() - 5000) } })
  expect(report.outcome).toBe('invalid')
  expect(report.generator.reasons.join()).toContain('after the time of --start-at')
})
