import { createServer, type RequestListener } from 'node:http'
import * as zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bodyLength, bodyText, type Header, type WireChunk } from '../../../contract/index.ts'
import { createNetworkTransport } from '../network/network.ts'
import { directNetwork } from '../network/sockets.ts'
import { cutAt, goldenEvents, goldenStream } from '../test-support/golden-stream.ts'
import { rawServer, urlOf } from '../test-support/listen-on-loopback.ts'
import { outgoing, sendRequest } from '../test-support/send.ts'
import { ChunkList } from './chunk-list.ts'
import { createContentDecoder } from './content-coding.ts'
import { type BodyLimits, defaultBodyLimits } from './limits.ts'
import { BodyReader } from './reader.ts'

const coders = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
} as const
type Coding = keyof typeof coders
const codings = Object.keys(coders) as Coding[]

/** Reads a body like one from a target. */
async function read(coding: string, pieces: readonly Uint8Array[], maxBytes = 1e6) {
  const headers: Header[] = [
    ['content-type', 'text/event-stream'],
    ['content-encoding', coding],
  ]
  const limits = { bodyBytes: 1, streamBytes: maxBytes, lineBytes: 1e7, streamEvents: 1e6 }
  const reader = new BodyReader(headers, limits, { onEvents: () => {}, onUnreadable: () => {} })
  for (const [at, bytes] of pieces.entries()) reader.push({ atMs: at, bytes })
  const ending = await reader.finish({ kind: 'complete', atMs: pieces.length })
  const { chunks, coded, events } = reader
  return { ending, chunks, coded, events }
}

function textOf(chunks: readonly WireChunk[]): string {
  return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()
}

test.each([...codings, 'identity'] as const)(
  '%s gives the same events in any split of its bytes',
  async (coding) => {
    const plain = goldenStream('\r\n')
    const coded = coding === 'identity' ? plain : coders[coding](plain)
    const places = fc.array(fc.nat(coded.length), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(places, async (at) => {
        const body = await read(coding, cutAt(coded, at))
        expect(body.ending.kind).toBe('complete')
        expect(textOf(body.chunks)).toBe(plain.toString())
        expect(body.events).toMatchObject(goldenEvents)
        expect(body.coded?.coding).toBe(coding === 'identity' ? undefined : coding)
        if (body.coded) expect(textOf(body.coded.chunks)).toBe(coded.toString())
      }),
      { numRuns: 25 },
    )
  },
)

describe.each(codings)('a body in %s', (coding) => {
  test('is cut if it ends early, and keeps the decoded bytes', async () => {
    const plain = Buffer.from('data: 1\n\n'.repeat(2_000) + Math.random())
    const coded = coders[coding](plain)
    const body = await read(coding, [coded.subarray(0, coded.length - 5)])
    expect(body.ending).toMatchObject({
      kind: 'cut',
      error: expect.stringMatching(
        `^the body ends inside its ${coding} coding, after \\d+ decoded`,
      ),
    })
    expect(plain.toString().startsWith(textOf(body.chunks))).toBe(true)
  })

  test('is undecodable if it is corrupt', async () => {
    const coded = Buffer.from(coders[coding](Buffer.from('data: 1\n\n'.repeat(50))))
    const start = coded.subarray(0, coding === 'deflate' ? 2 : 4)
    const body = await read(coding, [Buffer.concat([start, Buffer.alloc(60, 0xff)])])
    expect(body.ending).toMatchObject({
      kind: 'undecodable',
      error: expect.stringMatching(`^the ${coding} coding of the body is corrupt after \\d+ `),
    })
  })

  test('is aborted at the limit of decoded bytes', async () => {
    const bomb = coders[coding](Buffer.alloc(5_000_000))
    const body = await read(coding, [bomb], 1_048_576)
    expect(body.ending).toEqual({
      kind: 'aborted',
      atMs: 1,
      limit: `sent ${bomb.length} bytes of ${coding} that decode to more than 1048576 bytes (limits.streamBytes)`,
    })
    const bytes = body.chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0)
    expect(bytes).toBeLessThanOrEqual(1_048_576)
  })
})

/** A frame that a reader skips (RFC 8878, section 3.1.2). */
function skippable(content: Uint8Array): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(0x184d2a50)
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content])
}

// RFC 1952, section 2.2, and RFC 8878, section 3.1.
test.each([
  ['gzip', false],
  ['zstd', false],
  ['zstd', true],
] as const)(
  '%s of several parts is read to its end, skippable frames: %s',
  async (coding, skips) => {
    const plain = goldenStream('\n')
    const skipped = fc.uint8Array({ maxLength: 20 }).map(skippable)
    const between = fc.array(skipped, { maxLength: skips ? 2 : 0 })
    const place = fc.integer({ min: 0, max: plain.length })
    await fc.assert(
      fc.asyncProperty(
        fc.array(place, { minLength: 1, maxLength: 3 }),
        fc.array(between, { minLength: 5, maxLength: 5 }),
        fc.array(fc.nat(2_000), { maxLength: 12 }),
        async (borders, frames, places) => {
          const parts = cutAt(plain, borders).map((part) => coders[coding](part))
          const coded = Buffer.concat([
            ...parts.flatMap((part, at) => [...(frames[at] ?? []), part]),
            ...(frames[4] ?? []),
          ])
          const body = await read(coding, cutAt(coded, places))
          expect(body.ending.kind).toBe('complete')
          expect(textOf(body.chunks)).toBe(plain.toString())
          expect(body.events).toMatchObject(goldenEvents)
        },
      ),
      { numRuns: 50 },
    )
  },
)

const event = 'data: 1\n\n'
test.each([
  ['in raw deflate without a zlib header', 'deflate', zlib.deflateRawSync(event)],
  [
    'of several codings in reverse order',
    'gzip, br',
    zlib.brotliCompressSync(zlib.gzipSync(event)),
  ],
])('a body %s is decoded', async (_, coding, coded) => {
  const body = await read(coding, cutAt(coded, [...coded.keys()]))
  expect([body.ending.kind, textOf(body.chunks)]).toEqual(['complete', event])
  expect(body.events).toMatchObject([{ data: '1' }])
})

test('five codings are not decoded', () => {
  const size = { maxBytes: 9, maxBytesName: '9 bytes' }
  expect(createContentDecoder(Array(5).fill('gzip'), size)).toBeUndefined()
})

const openers = {
  gzip: [() => zlib.createGzip(), zlib.constants.Z_SYNC_FLUSH],
  deflate: [() => zlib.createDeflate(), zlib.constants.Z_SYNC_FLUSH],
  br: [() => zlib.createBrotliCompress(), zlib.constants.BROTLI_OPERATION_FLUSH],
  zstd: [() => zlib.createZstdCompress(), zlib.constants.ZSTD_e_flush],
} as const

describe('a compressed stream', () => {
  const texts = ['0', '1', '2', '3', '4'].map((digit) => `data: ${digit}\n\n`)

  /** Chunks that a compressing server sends for each event, and at its end. */
  async function compressed(coding: keyof typeof openers, flushes: boolean): Promise<Uint8Array[]> {
    const [open, flush] = openers[coding]
    const coder = open()
    const taken: Uint8Array[] = []
    coder.on('data', (bytes: Uint8Array) => taken.push(bytes))
    const sent: Uint8Array[] = []
    for (const text of texts) {
      coder.write(text)
      if (flushes) await new Promise<void>((resolve) => coder.flush(flush, resolve))
      sent.push(Buffer.concat(taken.splice(0)))
    }
    const closed = new Promise((resolve) => coder.once('close', resolve))
    coder.end()
    await closed
    return [...sent, Buffer.concat(taken)]
  }

  test.each(Object.keys(openers) as (keyof typeof openers)[])(
    'keeps the time of every event with %s and a flush per event',
    async (coding) => {
      const { events, ending } = await read(coding, await compressed(coding, true))
      expect(ending.kind).toBe('complete')
      expect(events.map(({ atMs, data }) => `${atMs} ${data}`).join()).toBe('0 0,1 1,2 2,3 3,4 4')
    },
  )

  test('without flushes has all events at its end', async () => {
    const { events } = await read('gzip', await compressed('gzip', false))
    expect(events.map(({ atMs }) => atMs)).toEqual([5, 5, 5, 5, 5])
  })
})

describe('a response', () => {
  const answered = async (coding: string, body: string, status = 200) => {
    const answer: RequestListener = (_, response) =>
      response.writeHead(status, { 'content-encoding': coding }).end(body)
    return sendRequest(await urlOf(createServer(answer)))
  }

  test('with an unknown coding is undecodable', async () => {
    const exchange = await answered('compress', 'abc')
    expect(exchange.response?.chunks).toEqual([])
    expect(exchange.ending).toMatchObject({
      kind: 'undecodable',
      error:
        'the body has the Content-Encoding compress, which chatgen cannot decode and did not request',
    })
  })

  test.each(['identity', 'none', ''])('with the coding "%s" keeps its bytes', async (coding) => {
    const exchange = await answered(coding, 'abc')
    expect([exchange.ending.kind, bodyText(exchange)]).toEqual(['complete', 'abc'])
    expect(exchange.response?.coded).toBeUndefined()
  })

  test.each([204, 200])(
    'without a body is complete despite a Content-Encoding (%i)',
    async (status) => {
      const exchange = await answered('gzip', '', status)
      expect(exchange.ending.kind).toBe('complete')
    },
  )

  test('keeps its decoded events if the connection is cut', async () => {
    const coded = zlib.gzipSync('data: 1\n\n', { finishFlush: zlib.constants.Z_SYNC_FLUSH })
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      response.write(coded, () => response.socket?.end())
    })
    const exchange = await sendRequest(await urlOf(server))
    expect(exchange.ending).toMatchObject({ kind: 'cut', error: 'other side closed' })
    expect(exchange.events).toMatchObject([{ data: '1' }])
  })
})

const small: BodyLimits = { bodyBytes: 5_000, streamBytes: 9_000, lineBytes: 400, streamEvents: 20 }
const stream = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n'

describe('body limits', () => {
  test.each([
    ['a body', `${json}{"a":"${'x'.repeat(6_000)}`, 'a body of more than 5000 bytes', 'bodyBytes'],
    ['a stream', `${stream}${': x\n'.repeat(3_000)}`, 'a stream of more than 9000 bytes', ''],
    ['a line', `${stream}data: ${'x'.repeat(500)}`, 'a line of more than 400 bytes', 'lineBytes'],
    ['events', `${stream}${'data: 1\n\n'.repeat(21)}`, 'more than 20 events', 'streamEvents'],
  ])('abort an exchange with %s beyond the limit', async (_, sent, says, limit) => {
    const { ending, response } = await answered(sent, small)
    expect(ending).toMatchObject({ kind: 'aborted' })
    expect('limit' in ending && ending.limit).toContain(`sent ${says} (limits.${limit}`)
    expect(response?.status).toBe(200)
  })

  test.each([
    ['a body', `${json}${'x'.repeat(5_000)}`],
    ['events', `${stream}${'data: 1\n\n'.repeat(20)}`],
    ['lines', `${stream}${`data: ${'x'.repeat(390)}\n\n`.repeat(20)}`],
  ])('allow %s up to the limit', async (_, sent) => {
    const exchange = await answered(sent, small, true)
    expect(exchange.ending.kind).toBe('complete')
    expect(bodyLength(exchange)).toBe(sent.length - sent.indexOf('\r\n\r\n') - 4)
  })

  test('allow 38,000 verbose events by default', async () => {
    const event = `event: response.output_text.delta\ndata: ${'x'.repeat(260)}\n\n`
    const exchange = await answered(`${stream}${event.repeat(38_000)}`, defaultBodyLimits, true)
    expect(exchange.ending.kind).toBe('complete')
    expect(exchange.events).toHaveLength(38_000)
  }, 60_000)
})

test('ChunkList keeps bytes and times of chunks of any size', () => {
  const list = new ChunkList()
  const sizes = [1, 3, 0, 70_000, 5, 64 * 1024, 200, 1]
  const chunks = sizes.map((size, at) => ({
    atMs: at + 0.5,
    bytes: new Uint8Array(size).fill(at + 1),
  }))
  for (const { bytes, atMs } of chunks) list.push(bytes, atMs)
  expect(list.chunks).toEqual(chunks)
  expect([list.length, list.bytes]).toEqual([8, sizes.reduce((a, b) => a + b)])
})

async function answered(sent: string, limits: BodyLimits, isEnded = false) {
  const server = await rawServer((socket) => (isEnded ? socket.end(sent) : socket.write(sent)))
  const transport = createNetworkTransport(directNetwork, limits)
  onTestFinished(() => transport.close())
  return transport.send(outgoing(server.url, { timeoutMs: 30_000 })).exchange
}
