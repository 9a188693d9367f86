import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { leaveInMidStream, openCompletion, testServer } from '../test-support/server.ts'
import { defaultEngine, Engine, EngineSyntaxError, parseEngine, simulate } from './engine.ts'

describe('parseEngine', () => {
  test('reads the names of vLLM', () => {
    const text = 'max-num-seqs=4, max-waiting=0,prefill=0.2ms/token,decode=0.01s,decode-per-seq=1ms'
    expect(parseEngine(text)).toEqual({
      maxNumSeqs: 4,
      maxWaiting: 0,
      prefillMsPerToken: 0.2,
      decodeMs: 10,
      decodeMsPerSeq: 1,
    })
    expect(parseEngine('max-num-seqs=2')).toEqual({ ...defaultEngine, maxNumSeqs: 2 })
  })

  test.each([
    ['max-num-seqs=0', 'expected max-num-seqs= and a whole number'],
    ['max-num-seqs=1.5', 'a whole number'],
    ['decode=fast', 'a time such as 12ms'],
    ['decode=12ms=3', 'a time such as 12ms'],
    ['batch=8', 'known names are max-num-seqs, max-waiting, prefill'],
    ['__proto__=8', 'known names are'],
    ['decode=0,decode-per-seq=0', 'a token takes time'],
    ['', 'known names are'],
  ])('rejects %j', (text, why) => {
    expect(() => parseEngine(text)).toThrow(EngineSyntaxError)
    expect(() => parseEngine(text)).toThrow(why)
  })
})

const options = fc.record({
  maxNumSeqs: fc.integer({ min: 1, max: 5 }),
  maxWaiting: fc.integer({ min: 0, max: 6 }),
  prefillMsPerToken: fc.integer({ min: 0, max: 3 }),
  decodeMs: fc.integer({ min: 1, max: 20 }),
  decodeMsPerSeq: fc.integer({ min: 0, max: 3 }),
})
const tokens = {
  promptTokens: fc.integer({ min: 0, max: 50 }),
  outputTokens: fc.integer({ min: 1, max: 9 }),
}

describe('an engine', () => {
  test('decodes each admitted sequence to its end in limited batches', () => {
    fc.assert(
      fc.property(
        options,
        fc.array(fc.record(tokens), { maxLength: 30 }),
        (settings, sequences) => {
          const engine = new Engine(settings)
          const admitted = sequences.filter((sequence) => engine.enqueue(sequence))
          expect(admitted.length).toBe(
            Math.min(sequences.length, settings.maxNumSeqs + settings.maxWaiting),
          )
          const counts = new Map(admitted.map((sequence) => [sequence, 0]))
          while (!engine.isIdle) {
            const { decoded, durationMs } = engine.iterate()
            expect(decoded.length).toBeLessThanOrEqual(settings.maxNumSeqs)
            expect(durationMs).toBeGreaterThan(0)
            for (const one of decoded) counts.set(one, (counts.get(one) ?? 0) + 1)
          }
          expect([...counts]).toEqual(admitted.map((one) => [one, one.outputTokens]))
        },
      ),
    )
  })

  test.each([0, 1])('forgets a canceled sequence after %i iterations', (iterations) => {
    const engine = new Engine(defaultEngine)
    const sequence = { promptTokens: 1, outputTokens: 3 }
    engine.enqueue(sequence)
    if (iterations > 0) engine.iterate()
    expect(engine.isIdle).toBe(false)
    engine.cancel(sequence)
    expect(engine.isIdle).toBe(true)
  })
})

describe('a simulation', () => {
  const engine = parseEngine(
    'max-num-seqs=1,max-waiting=2,prefill=1ms/token,decode=10ms,decode-per-seq=0',
  )

  test('adds up waiting, prefill and decoding', () => {
    const request = { promptTokens: 5, outputTokens: 3 }
    expect(simulate(engine, [{ atMs: 100, ...request }])).toEqual([{ ttftMs: 15, latencyMs: 35 }])
    const four = [0, 0, 0, 0].map((atMs) => ({ atMs, ...request }))
    expect(simulate(engine, four)).toEqual([
      { ttftMs: 15, latencyMs: 35 },
      { ttftMs: 50, latencyMs: 70 },
      { ttftMs: 85, latencyMs: 105 },
      null,
    ])
  })

  test('gives first tokens in the order of arrival', () => {
    const arrivals = fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 500 }), ...tokens }), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(options, arrivals, (any, requests) => {
        const ordered = requests.toSorted((a, b) => a.atMs - b.atMs)
        const firsts = simulate(any, ordered).flatMap((answer, at) =>
          answer === null ? [] : [(ordered[at]?.atMs ?? 0) + answer.ttftMs],
        )
        expect(firsts).toEqual(firsts.toSorted((a, b) => a - b))
      }),
    )
  })
})

const serve = (engine: string) => testServer({ engine: parseEngine(engine) })

test('an engine serves whole streams and bodies on all surfaces', async () => {
  const server = await serve('max-num-seqs=2,prefill=0,decode=1ms,decode-per-seq=0')
  const [one, other, whole, native] = await Promise.all([
    server.complete('[[tokens=8]]', { stream: true }),
    server.complete('[[tokens=8]]', { stream: true }),
    server.complete('[[tokens=8]]'),
    server.oneShot({ assistant_id: null, input: 'Describe a harbour at night.', stream: true }),
  ])
  for (const { text } of [one, other]) expect(text).toContain('[DONE]')
  expect(whole.json).toMatchObject({ object: 'chat.completion' })
  expect(native.text).toContain('event: response.completed')
})

test('an engine refuses requests beyond the queue with Retry-After', async () => {
  const server = await serve('max-num-seqs=1,max-waiting=1,prefill=0,decode=60ms,decode-per-seq=0')
  const answers = await Promise.all([1, 2, 3, 4].map(() => server.complete('[[tokens=8]]')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 503, 503])
  const refused = answers.find(({ status }) => status === 503)
  expect(refused?.headers.get('retry-after')).toBe('1')
  expect(refused?.json).toMatchObject({ error: { code: 'engine_overloaded' } })
  expect((await server.complete('[[tokens=8]]')).status).toBe(200)
})

test('an engine frees the place of a client that leaves', async () => {
  const server = await serve('max-num-seqs=1,max-waiting=0,prefill=0,decode=150ms,decode-per-seq=0')
  const left = await openCompletion(server, '[[tokens=400]]')
  expect((await server.complete('[[tokens=8]]')).status).toBe(503)
  await leaveInMidStream(left)
  await expect.poll(async () => (await server.complete('[[tokens=1]]')).status).toBe(200)
})
