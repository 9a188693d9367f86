import type { ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ReferenceServer, startReferenceServer } from '../../reference-server/index.ts'
import { listen, readBody, type TestHost } from '../client/test-support/listen-on-loopback.ts'
import { check, referenceProfile } from '../conformance/test-support/check.ts'
import { keys } from './test-support/reference.ts'
import { type Disturbance, roughRoad } from './test-support/rough-road.ts'

/** Streams through a proxy that forwards them immediately, in lumps, or as a whole. */

let paced: ReferenceServer
let unpaced: ReferenceServer
let swift: ReferenceServer
let road: TestHost
let target: Pick<TestHost, 'url'>
let disturbance: Disturbance | undefined

beforeAll(async () => {
  paced = await startReferenceServer({ keys, pace: { ttftMs: 100, gapMs: 20, jitter: 0 } })
  unpaced = await startReferenceServer({ keys })
  swift = await startReferenceServer({ keys, pace: { ttftMs: 20, gapMs: 6, jitter: 0 } })
  road = await roughRoad(
    () => target.url,
    ({ body }) => (body.includes('"stream":true') ? disturbance : undefined),
  )
})
afterAll(async () => {
  await road.close()
  await Promise.all([paced.close(), unpaced.close(), swift.close()])
})

async function arrival(only = ['V3-SSE-30', 'OAI-STREAM-11']): Promise<readonly string[]> {
  const report = await check(referenceProfile(road.url, keys), { only })
  expect(report.faults).toEqual([])
  return report.requirements.map(({ id, verdict, message }) => `${id} ${verdict} ${message ?? ''}`)
}

// If this process itself is late, the verdict is undecided.
const patient = { timeout: 60_000, retry: 6 }

const whole = { kind: 'lumps', everyMs: null } as const

test.each<[string, () => ReferenceServer, Disturbance | undefined, RegExp]>([
  ['a stream forwarded at once passes', () => paced, undefined, / pass $/],
  [
    'bursts are a warning with their number and interval',
    () => paced,
    { kind: 'lumps', everyMs: 250 },
    / warn \d+ deltas arrived in \d reads, mostly \d+ ms apart, as in \d of 3 streams$/,
  ],
  [
    'a stream buffered as a whole is a warning with one read',
    () => paced,
    whole,
    / warn \d+ deltas arrived in one read, \d+ ms after the request, as in \d of 3 streams$/,
  ],
  [
    'a stream of a few milliseconds is inconclusive',
    () => unpaced,
    whole,
    / inconclusive \d+ deltas arrived within \d+ ms: too fast to tell$/,
  ],
  [
    'a buffered stream of a fast model is inconclusive',
    () => swift,
    whole,
    / inconclusive every long answer arrived at once, \d+ ms or more after its request, a short one after \d+ ms: a proxy may buffer the stream$/,
  ],
])('%s', patient, async (_, server, made, verdict) => {
  target = server()
  disturbance = made
  expect(await arrival()).toEqual([expect.stringMatching(verdict), expect.stringMatching(verdict)])
})

test(
  'longer answers decide for a fast model that writes as much as requested',
  patient,
  async () => {
    const server = await listen((request, response) =>
      readBody(request).then((body) => writeSentences(body.toString(), response)),
    )
    target = server
    disturbance = whole
    try {
      const lines = await arrival(['OAI-STREAM-11'])
      expect(lines).toEqual([
        expect.stringMatching(
          /warn \d+ deltas arrived in one read, \d+ ms after the request, as in 3 of 4/,
        ),
      ])
      disturbance = undefined
      expect(await arrival(['OAI-STREAM-11'])).toEqual(['OAI-STREAM-11 pass '])
    } finally {
      await server.close()
    }
  },
)

test(
  'one long answer that waits longer than the others is no sign of a buffer',
  patient,
  async () => {
    let count = 0
    const server = await listen(async (request, response) => {
      const body = (await readBody(request)).toString()
      if (!body.includes('"stream":true')) return writeSentences(body, response)
      const isLong = body.includes('sentences')
      if (isLong) count += 1
      await setTimeout(isLong && count % 3 === 0 ? 1_500 : 600)
      const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`${chunk.repeat(40)}data: [DONE]\n\n`)
    })
    target = server
    disturbance = undefined
    try {
      const lines = await arrival(['OAI-STREAM-11'])
      expect(lines).toEqual([
        expect.stringMatching(/ inconclusive .*a short answer took \d+ ms as well$/),
      ])
    } finally {
      await server.close()
    }
  },
)

/** Four deltas for each requested sentence, 5 ms apart in a stream. */
async function writeSentences(body: string, response: ServerResponse): Promise<void> {
  const sentences = Number(/in (\d+) sentences/.exec(body)?.[1] ?? 10)
  const deltas = body.includes('max_tokens') ? 4 : sentences * 4
  if (!body.includes('"stream":true')) {
    const message = { role: 'assistant', content: 'word '.repeat(deltas).trim() }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', choices }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let at = 0; at < deltas; at += 1) {
    await setTimeout(5)
    response.write('data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n')
  }
  response.end('data: [DONE]\n\n')
}
