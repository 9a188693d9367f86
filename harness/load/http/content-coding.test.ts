import { createServer, type ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { urlOf } from '../../client/test-support/listen-on-loopback.ts'
import { driven, outcomesOf } from '../test-support/drive.ts'
import { speech } from '../test-support/odd-server.ts'

const { constants } = zlib
const coders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGzip({ flush: constants.Z_SYNC_FLUSH }),
  deflate: () => zlib.createDeflate({ flush: constants.Z_SYNC_FLUSH }),
  'bare deflate': () => zlib.createDeflateRaw({ flush: constants.Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => zlib.createZstdCompress({ flush: constants.ZSTD_e_flush }),
}

const some = { kind: 'openai-stream', perSecond: 20, seconds: 0.25 } as const

describe('a response with a Content-Encoding', () => {
  test.each(Object.keys(coders))('%s is decoded and judged event by event', async (name) => {
    const url = await server(async (response) => {
      response.writeHead(200, head(name.replace('bare ', '')))
      const coder = coders[name]?.()
      if (coder === undefined) return
      coder.pipe(response)
      for (const event of speech) {
        coder.write(event)
        await sleep(20)
      }
      coder.end()
    })
    const { records, integrity } = await driven({ ...some, url })
    expect(records).toHaveLength(5)
    for (const { outcome, counts, timestamps, gapsNs } of records) {
      expect(outcome).toEqual({ kind: 'ok' })
      expect(counts).toMatchObject({ events: speech.length, generated: 3 })
      // Stamps are those of the reads that brought the coded bytes; a busy machine may merge two of them.
      expect(gapsNs).toHaveLength(2)
      expect(Math.max(...gapsNs)).toBeGreaterThan(0)
      const { headers, firstGenerated, lastGenerated, terminal, ended } = timestamps
      const all = [headers, firstGenerated, lastGenerated, terminal, ended].map(Number)
      expect(all).toEqual(all.toSorted((a, b) => a - b))
    }
    expect(integrity).toMatchObject({ streams: 5, events: 5 * speech.length })
  })

  test('of two codings is decoded', async () => {
    const body = JSON.stringify(completion)
    const url = await server((response) => {
      const coded = zlib.brotliCompressSync(zlib.gzipSync(body))
      response.writeHead(200, { ...head('gzip, br'), 'content-type': 'application/json' })
      response.end(coded)
    })
    const { records, integrity } = await driven({ ...some, url, kind: 'openai-json' })
    expect(outcomesOf(records)).toEqual(['ok'])
    expect(Object.values(integrity.tally)).toContainEqual({ broken: 0, held: 5, first: null })
  })

  test('is requested with the Accept-Encoding of SDKs', async () => {
    const codings = new Set<unknown>()
    const url = await server((response, accepted) => {
      codings.add(accepted)
      response.writeHead(200, head('identity')).end(speech.join(''))
    })
    const { records } = await driven({ ...some, url })
    expect(outcomesOf(records)).toEqual(['ok'])
    expect([...codings]).toEqual(['gzip, deflate, br, zstd'])
  })
})

describe('a faulty coded body is named in the outcome, without a violation', () => {
  const events = speech.join('')
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
  const zeros = zlib.brotliCompressSync(Buffer.alloc(40 * 1024 * 1024), quick)
  const cut = zlib.gzipSync(events).subarray(0, 60)
  const other = 'unreadable its Content-Encoding "x-own" was not requested'
  test.each<[string, string, Buffer, string, boolean]>([
    [
      'bytes of another format',
      'gzip',
      Buffer.from(events),
      `unreadable it is not ${inGzip}`,
      true,
    ],
    ['a truncated gzip body', 'gzip', cut, `unreadable it ends inside ${inGzip}`, true],
    ['a coding that was not requested', 'x-own', Buffer.from('?'), other, true],
    ['a stream of zeros', 'br', zeros, 'limit a line or an event of more than 4 MiB', true],
    ['a body of zeros', 'br', zeros, 'limit a body of more than 8 MiB', false],
  ])('%s', async (_, coding, body, expected, streams) => {
    const url = await server((response) => {
      const type = streams ? {} : { 'content-type': 'application/json' }
      response.writeHead(200, { ...head(coding), ...type }).end(body)
    })
    const kind = streams ? 'openai-stream' : 'openai-json'
    const { records, integrity } = await driven({ ...some, url, kind, perSecond: 8 })
    expect(outcomesOf(records)).toEqual([expected])
    const broken = Object.entries(integrity.tally).filter(([, { broken }]) => broken > 0)
    expect(broken).toEqual([])
  })
})

const inGzip = 'gzip, its Content-Encoding'

function head(coding: string) {
  return { 'content-type': 'text/event-stream', 'content-encoding': coding }
}

async function server(
  answer: (response: ServerResponse, accepted: string | undefined) => unknown,
): Promise<string> {
  const http = createServer((request, response) => {
    request.resume()
    request.on('end', () => void answer(response, request.headersDistinct['accept-encoding']?.[0]))
  })
  return urlOf(http)
}

const completion = {
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
