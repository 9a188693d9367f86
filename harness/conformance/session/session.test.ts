import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../../contract/index.ts'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { exchangeOf } from '../../../reports/test-support/reports.ts'
import type { Endpoint } from '../profile/index.ts'
import { createEndpointRouting } from './endpoint-routing.ts'
import { judgeForeign, noteSaid } from './findings.ts'
import { issuedNonces, newNonce, saidNonces, toUuid, toWord, wordsIn } from './identities.ts'
import { areConcurrent, findGap } from './race.ts'
import type { RequestSpec } from './requests/wire-request.ts'
import { newRunState } from './run-state.ts'
import { createSettling } from './settling.ts'

const turn = { surface: 'v3', method: 'POST', path: '/api/v3/message/generate' } as const

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('toWord and toUuid are deterministic', () => {
  forAll(fc.string(), (text) => {
    expect([toWord(text), toUuid(text)]).toEqual([toWord(text), toUuid(text)])
    expect(toWord(text)).toMatch(/^[A-Z][aeiou]([bdfgklmnprstvz][aeiou]){2}\d{4}$/)
    expect(toUuid(text)).toMatch(uuid)
  })
})

test('wordsIn finds words in a text and nothing else', () => {
  forAll(fc.array(fc.string()), (texts) => {
    const words = texts.map(toWord)
    expect(wordsIn(`Your name is ${words.join(', or ')}.`)).toEqual(words)
  })
  expect(wordsIn('Kolame12345 XKolame1234 Kolame 1234 kolame1234 2026')).toEqual([])
})

// A run without a tag is incognito.
test.each(['chatgen-tag', ''])(
  'issuedNonces finds nonces of the run, without similar words (tag: %j)',
  (tag) => {
    const setup = { tag, state: newRunState() }
    forAll(fc.string(), (seed) => {
      const [first, second] = [newNonce(setup, seed), newNonce(setup, `${seed}, second`)]
      const odd = `${first.slice(0, -1)}${(Number(first.at(-1)) + 1) % 10}`
      expect(wordsIn(odd)).toEqual([odd])
      const text = `${odd}, 「${second}」, Kolame1234\n${first}に`
      expect(issuedNonces(setup, text)).toEqual([second, first])
      // The other one may be that of a document.
      noteSaid(setup, { ...turn, json: { input: `First line.\n${first} is here.` } })
      expect(saidNonces(setup, text)).toEqual([first])
    })
  },
)

describe('V3-HIST-16 judges an input in a history', () => {
  const page = { surface: 'v3', method: 'GET', path: '/api/v3/message' } as const
  const spec = { ...page, query: { chat_id: 'a' } }
  const rows = (role: string, text?: string) =>
    JSON.stringify({ result: [{ item: { role, content: [{ text }] } }] })

  test.each<[string, readonly string[], boolean]>([
    ['of its chat', ['200 a'], false],
    ['of another chat', ['200 b'], true],
    ['of both', ['200 b', '200 A'], false],
    ['that a request without a chat sent as well', ['200 b', '200'], false],
    ['that another chat refused', ['404 b'], false],
    ['that no request sent', [], false],
  ])('%s', (_, turns, isForeign) => {
    const setup = { tag: 'chatgen-tag', state: newRunState() }
    const text = newNonce(setup, 'a fact')
    for (const [status, chat] of turns.map((one) => one.split(' '))) {
      const request = { ...turn, json: { chat_id: chat, input: `The word is ${text}.` } }
      noteSaid(setup, request)
      judgeForeign(setup, request, exchangeOf({ status: Number(status) }))
    }
    const findings = judgeForeign(setup, spec, exchangeOf({ answer: rows('user', text) }))
    expect(findings.map(({ requirement }) => requirement)).toEqual(isForeign ? ['V3-HIST-16'] : [])
    expect(judgeForeign(setup, spec, exchangeOf({ answer: rows('assistant', text) }))).toEqual([])
    const later = { ...spec, query: { chat_id: 'a', cursor: 'c' } }
    expect(judgeForeign(setup, later, exchangeOf({ answer: rows('user', text) }))).toEqual([])
  })

  test.each([
    ['of another chat', 'b', {}, true],
    ['of its chat', 'a', {}, false],
    ['of a search', 'b', { rag: 'agent' }, false],
  ])('%s, in an answer', (_, chat, more, isForeign) => {
    const setup = { tag: 'chatgen-tag', state: newRunState() }
    const text = newNonce(setup, 'a fact')
    noteSaid(setup, { ...turn, json: { chat_id: chat, input: text } })
    const output = [{ type: 'message', content: [{ type: 'output_text', text }] }]
    const answer = JSON.stringify({ object: 'response', output })
    const request = { ...turn, json: { chat_id: 'a', input: 'What?', ...more } }
    const ids = judgeForeign(setup, request, exchangeOf({ answer })).map(
      ({ requirement }) => requirement,
    )
    expect(ids).toEqual(isForeign ? ['V3-CTX-02'] : [])
  })
})

test('identities of a run are unique', () => {
  const draws = Array.from({ length: 2_000 }, (_, draw) => `seed/a-scenario/${draw}`)
  expect(new Set(draws.map(toUuid)).size).toBe(draws.length)
  expect(new Set(draws.map(toWord)).size).toBe(draws.length)
  expect(toUuid('seed-1/a/1')).not.toBe(toUuid('seed-2/a/1'))
})

/** Waits are shortened only in a hurry, and never below the time that changes take. */

test('a hurry is allowed after a wait in vain, until late changes', async () => {
  const settling = createSettling({ settleMs: 2000 })
  const hurried = () => settling.hurry(async () => settling.ms)
  expect(settling.mayHurry).toBe(false)
  settling.note(2000, false)
  expect(settling.mayHurry).toBe(true)
  expect(settling.ms).toBe(2000)
  expect(await hurried()).toBe(50)
  expect(settling.ms).toBe(2000)
  settling.note(350, true)
  settling.note(50, true)
  expect(await hurried()).toBe(700)
  settling.note(1250, true)
  expect(settling.mayHurry).toBe(false)
  expect(await hurried()).toBe(2000)
})

test('a change missed in a hurry ends all hurry', () => {
  const settling = createSettling({ settleMs: 2000 })
  settling.note(2000, false)
  settling.noteLate()
  expect(settling.mayHurry).toBe(false)
})

const noLimit = { limits: {} }

describe('findGap for requests', () => {
  test.each([
    ['sent together', [sent(0, 50, 60), sent(1, 40, 60)], undefined],
    ['sent in the moment of the first response', [sent(0, 50, 60), sent(50, 70, 80)], undefined],
    [
      'sent while the first response runs',
      [sent(0, 50, 900), sent(250, 300, 950)],
      'the last request was sent 200 ms after the first response began',
    ],
    [
      'sent a moment too late',
      [sent(0, 50, 60), sent(50.2, 70, 80)],
      'the last request was sent 1 ms after the first response began',
    ],
    [
      'sent again after a refusal',
      [
        sent(0, 50, 60),
        { ...sent(150, 170, 180), labels: { ...sent(0, 0, 0).labels, attempt: 1 } },
      ],
      'the last request was sent 100 ms after the first response began: a request was refused or failed at first, and was sent again',
    ],
    [
      'of a recording without these times',
      [sent(0, 50, 60), exchangeOf()],
      'the time at which a request was sent is unknown',
    ],
  ])('%s', (_, exchanges, gap) => {
    expect(findGap(exchanges, noLimit)).toBe(gap)
  })

  test('names the limit that prevented concurrency', () => {
    const apart = [sent(0, 50, 60), sent(1000, 1050, 1060)]
    expect(findGap(apart, { limits: { requestsPerSecond: 1 } })).toBe(
      'the last request was sent 950 ms after the first response began: limits.requestsPerSecond: 1 does not allow 2 requests at once',
    )
    expect(findGap(apart, { limits: { requestsPerSecond: 2 } })).not.toContain('limits')
    // Requests that a limit keeps apart overlap on a slow target.
    expect(
      findGap([sent(0, 5000, 5010), sent(1000, 5050, 5060)], { limits: { requestsPerSecond: 1 } }),
    ).toBe(undefined)
  })
})

test.each([
  ['both run', sent(0, 50, 100), sent(60, 70, 80), true],
  ['one ended before the other was sent', sent(0, 50, 60), sent(61, 70, 80), false],
  ['the times are unknown', exchangeOf(), sent(61, 70, 80), false],
])('areConcurrent for two requests: %s', (_, one, other, expected) => {
  expect(areConcurrent(one, other)).toBe(expected)
  expect(areConcurrent(other, one)).toBe(expected)
})

/** Times on the clock of the run; the exchange's own clock began 7 ms before the request was sent. */
function sent(clockMs: number, answeredMs: number, endedMs: number): Exchange {
  const exchange = exchangeOf()
  const own = (ms: number) => ms - clockMs + 7
  return {
    ...exchange,
    sent: { atMs: 7, clockMs },
    response: exchange.response && { ...exchange.response, headersAtMs: own(answeredMs) },
    ending: { kind: 'complete', atMs: own(endedMs) },
  }
}

const settleMs = 60_000
const read: RequestSpec = { surface: 'v3', method: 'GET', path: '/api/v3/chat' }
const write: RequestSpec = { surface: 'v3', method: 'POST', path: '/api/v3/chat' }
const answered = (status: number) => ({ response: { status } }) as Exchange

function routingOf(count: number, seed = 'seed') {
  const names = Array.from('ABCDEFGH').slice(0, count)
  const [first, ...others] = names.map(
    (name): Endpoint => ({ name, baseUrl: `http://${name}.example` }),
  )
  if (first === undefined) throw new Error('no endpoint')
  return createEndpointRouting([first, ...others], seed, settleMs)
}

function keyed(key: string): RequestSpec {
  return { ...write, headers: { 'Idempotency-Key': key } }
}

const counts = fc.integer({ min: 2, max: 8 })

test('consecutive requests go to different endpoints, determined by the seed', () => {
  forAll(counts, fc.string(), (count, seed) => {
    const routing = routingOf(count, seed)
    const names = Array.from({ length: 3 * count }, () => routing.route(read).endpoint.name)
    expect(names.filter((name, at) => name === names[at + 1])).toEqual([])
    expect(new Set(names).size).toBe(count)
    const again = routingOf(count, seed)
    expect(names.map(() => again.route(read).endpoint.name)).toEqual(names)
  })
})

test('a repeat with the same Idempotency-Key goes to another endpoint', () => {
  forAll(counts, fc.nat({ max: 9 }), fc.string(), (count, between, seed) => {
    const routing = routingOf(count, seed)
    const first = routing.route(keyed('k')).endpoint
    for (let at = 0; at < between; at += 1) routing.route(read)
    expect(routing.route(keyed('k')).endpoint).not.toBe(first)
    expect(routing.route(keyed('k')).endpoint).not.toBe(first)
  })
})

test('a request waits until a change at another endpoint must be visible', () => {
  const routing = routingOf(3)
  const change = routing.route(write)
  const racing = routing.route(write)
  expect(racing.settlingMs()).toBe(0)
  change.ended(answered(201))
  const later = routing.route(read)
  expect(later.settlingMs()).toBeGreaterThan(settleMs - 5_000)
  const atTheSame = routing.route(read)
  expect(atTheSame.endpoint).toBe(change.endpoint)
  expect(atTheSame.settlingMs()).toBe(0)
})

test('a request to a single endpoint waits for earlier changes, a poll does not', async () => {
  const routing = routingOf(1)
  routing.route(keyed('k')).ended(answered(200))
  expect(routing.route(read).settlingMs()).toBeGreaterThan(settleMs - 5_000)
  expect(routing.route(keyed('k')).settlingMs()).toBe(0)
  const wait = async () => routing.route(read).settlingMs()
  expect(await routing.repeated(wait, { isPoll: true })()).toBe(0)
})

test.each([
  ['a refused change', write, 404],
  ['a read', read, 200],
  ['a one-shot', { ...write, path: '/api/v3/message/one-shot' }, 200],
])('%s is not waited for', (_, spec, status) => {
  const routing = routingOf(3)
  routing.route(spec).ended(answered(status))
  expect(routing.route(read).settlingMs()).toBe(0)
})

test('a repeat waits only for changes before the request that it repeats', () => {
  const routing = routingOf(3)
  routing.route(keyed('k')).ended(answered(200))
  expect(routing.route(keyed('k')).settlingMs()).toBe(0)
  routing.route(keyed('other')).ended(answered(200))
  expect(routing.route(keyed('k')).settlingMs()).toBeGreaterThan(0)
})

test('a repeated read uses the same endpoints, and polls begin at each', async () => {
  await fc.assert(
    fc.asyncProperty(counts, fc.integer({ min: 1, max: 5 }), async (count, pages) => {
      const routing = routingOf(count)
      routing.route(write).ended(answered(201))
      const walk = async () => {
        const routes = Array.from({ length: pages }, () => routing.route(read))
        return routes.map((route) => ({ name: route.endpoint.name, waitMs: route.settlingMs() }))
      }
      const polls = Array.from({ length: count }, () => routing.repeated(walk, { isPoll: true }))
      const first = await Promise.all(polls.map((poll) => poll()))
      expect(await Promise.all(polls.map((poll) => poll()))).toEqual(first)
      expect(new Set(first.map(([page]) => page?.name)).size).toBe(count)
      expect(first.flat().filter(({ waitMs }) => waitMs > 0)).toEqual([])
    }),
  )
})

test('a cleanup goes to the endpoint of the latest change', () => {
  const routing = routingOf(4)
  routing.route(write).ended(answered(201))
  const latest = routing.route(write)
  latest.ended(answered(201))
  routing.route(read)
  const cleanup = routing.route({ ...write, method: 'DELETE', role: 'cleanup' })
  expect(cleanup.endpoint).toBe(latest.endpoint)
})
