import { createServer, type RequestListener } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { benchToText } from '../../cli/load/output/bench-text.ts'
import { urlOf } from '../../client/test-support/listen-on-loopback.ts'
import { plainTarget } from '../target.ts'
import { runBench } from './bench.ts'
import { benchCases } from './cases.ts'
import type { BenchOptions } from './measure.ts'

it('measures each case beside a bare server and leaves no chat behind', async () => {
  const server = await startReferenceServer({ keys: ['key'] })
  onTestFinished(() => server.close())
  const cases = [...casesNamed('generate stream'), ...casesNamed('one-shot JSON')]
  const report = await runBench({ ...usual(server.url), cases, turns: 2, baseline: true })
  expect(report.notMeasured).toEqual([])
  expect(report.rows.map((row) => row.case)).toEqual(['generate stream', 'one-shot JSON'])
  for (const { case: name, target, baseline, ratio, chats } of report.rows) {
    for (const figures of [target, baseline]) {
      expect(figures?.answers).toBeGreaterThan(0)
      expect(figures?.failures).toEqual(noFailures)
      expect(figures?.latencyMs?.p99).toBeGreaterThanOrEqual(figures?.latencyMs?.p50 ?? 0)
    }
    expect(ratio).toBeGreaterThan(0)
    const perAnswer = (target.eventsPerSecond ?? 0) / target.answersPerSecond
    expect(Math.round(perAnswer)).toBe(name === 'generate stream' ? 12 : 0)
    expect(chats).toEqual(
      name.startsWith('generate')
        ? { turns: 2, made: expect.any(Number), exhausted: expect.any(Number), leftBehind: 0 }
        : null,
    )
  }
  expect(await chatsOf(server.url)).toMatchObject({ result: [] })
  expect(benchToText(report)).toMatch(/^generate stream .*\n {2}bare node:http /m)
})

it('counts streams that break off, with or without a clean end of the body', async () => {
  const url = await urlOf(createServer(breaksOff()))
  const { rows } = await runBench({ ...usual(url), cases: casesNamed('compatible stream') })
  const { answers, failures } = rows[0]?.target ?? {}
  expect(answers).toBeGreaterThan(0)
  expect(failures).toMatchObject({ broken: expect.any(Number), status: expect.any(Number) })
  expect(failures?.broken).toBeGreaterThan(0)
  expect(failures?.lost).toBeGreaterThan(0)
  expect(failures?.status).toBeGreaterThan(0)
})

it('reports the cases that a target refuses', async () => {
  const url = await urlOf(createServer((_, response) => response.writeHead(404).end('no')))
  const report = await runBench({ ...usual(url), cases: casesNamed('one-shot JSON') })
  expect(report.rows).toEqual([])
  expect(benchToText(report)).toContain(
    'one-shot JSON: not measured: POST /api/v3/message/one-shot returned no complete response (status 404): no',
  )
})

it('keeps the measured cases if the target goes away', async () => {
  const server = await startReferenceServer({ keys: ['key'] })
  const report = await runBench({
    ...usual(server.url),
    cases: [...casesNamed('compatible JSON'), ...casesNamed('generate JSON')],
    onProgress: (what) => {
      if (what.startsWith('generate')) void server.close()
    },
  })
  expect(report.rows.map((row) => row.case)).toEqual(['compatible JSON'])
  expect(benchToText(report)).toContain('generate JSON: not measured: the target no longer answers')
})

it('rejects if the target refuses connections', async () => {
  const cases = casesNamed('compatible JSON')
  await expect(runBench({ ...usual('http://127.0.0.1:1'), cases })).rejects.toThrow('ECONNREFUSED')
})

const noFailures = { connection: 0, timeout: 0, status: 0, broken: 0, lost: 0 }

function usual(baseUrl: string): BenchOptions {
  return {
    target: plainTarget(baseUrl, 'key'),
    prompt: { text: 'Hi [[tokens=4]]', maxTokens: 4 },
    cases: [],
    connections: 3,
    seconds: 1,
    timeoutSeconds: 5,
    turns: 8,
    baseline: false,
    signal: new AbortController().signal,
  }
}

function casesNamed(name: string): BenchOptions['cases'] {
  return benchCases.filter((one) => one.name === name)
}

/** Every second answer is whole; of the others, one lacks its end, one is cut off, one is an error. */
function breaksOff(): RequestListener {
  let answers = 0
  return (_request, response) => {
    answers += 1
    const at = answers % 6
    if (at === 0) {
      response.writeHead(500).end()
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {}\n\n')
    if (at === 2) response.end()
    else if (at === 4) setImmediate(() => response.socket?.end())
    else response.end('data: [DONE]\n\n')
  }
}

async function chatsOf(url: string) {
  const response = await fetch(`${url}/api/v3/chat`, { headers: { authorization: 'Bearer key' } })
  return response.json()
}
