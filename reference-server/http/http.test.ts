import { describe, expect, it } from 'vitest'
import {
  completion,
  completionsPath,
  countingIds,
  exchangeBytes,
  type TestServer,
  testServer,
} from '../test-support/server.ts'

describe('authentication', () => {
  it.each([
    ['GET', '/api/unknown'],
    ['PUT', '/api/openai/models'],
    ['GET', '/api'],
    ['OPTIONS', '/api/v3/chat'],
    ['GET', '/api/%zz'],
    ['POST', '/api/v3/chat'],
    ['POST', '/%61pi/v3/chat'],
  ])('is required first: %s %s', async (method, path) => {
    const server = await testServer({ keys: ['right'] })
    for (const authorization of ['', 'Bearer wrong', 'Bearer right right']) {
      const answer = await server.send(method, path, {
        headers: { authorization },
        ...(method === 'POST' ? { body: '{bad json' } : {}),
      })
      expect([authorization, answer.status]).toEqual([authorization, 401])
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm=/)
      expect(answer.json.error).toMatchObject({
        code: 'invalid_api_key',
        message: expect.any(String),
      })
    }
  })

  it('accepts the scheme in any case', async () => {
    const server = await testServer({ keys: ['right'] })
    for (const authorization of ['bearer right', 'BEARER right', 'Bearer   right']) {
      const { status } = await server.send('GET', '/api/openai/models', {
        headers: { authorization },
      })
      expect(status).toBe(200)
    }
  })

  it('is not required by /healthz', async () => {
    const server = await testServer()
    const { status, json } = await server.send('GET', '/healthz', {
      headers: { authorization: '' },
    })
    expect([status, json]).toEqual([200, { status: 'ok' }])
  })
})

const models = '/api/openai/models'

it('rate limit counts requests per key and sends Retry-After', async () => {
  let now = 1_000_000
  const clock = { now: () => now, sleep: async () => {} }
  const server = await testServer({ keys: ['ann', 'bob'], requestsPerMinute: 3, clock })
  const send = (key = 'ann') =>
    server.send('GET', models, { headers: { authorization: `Bearer ${key}` } })
  for (const remaining of ['2', '1', '0']) {
    const { status, headers } = await send()
    expect([status, headers.get('x-ratelimit-remaining-requests')]).toEqual([200, remaining])
    expect(headers.get('x-ratelimit-limit-requests')).toBe('3')
  }
  const refused = await send()
  expect([refused.status, refused.json.error]).toMatchObject([
    429,
    { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  ])
  expect(refused.headers.get('retry-after')).toBe('20')
  expect(refused.headers.get('x-ratelimit-reset-requests')).toBe('60000ms')
  expect((await send('bob')).status).toBe(200)
  expect((await send('wrong')).status).toBe(401)
  expect((await server.send('GET', '/healthz')).status).toBe(200)
  now += 20_000
  expect((await send()).status).toBe(200)
  expect((await send()).status).toBe(429)
  now += 600_000
  expect((await send()).headers.get('x-ratelimit-remaining-requests')).toBe('2')
})

it('rate limit counts refused requests and streams, and refusals change nothing', async () => {
  const server = await testServer({ requestsPerMinute: 3 })
  const chat_id = await server.newChat()
  expect((await server.send('GET', '/api/v3/nothing')).status).toBe(404)
  const stream = await server.oneShot({ input: 'Hi', stream: true })
  expect(stream.headers.get('x-ratelimit-remaining-requests')).toBe('0')
  expect((await server.generate({ chat_id, input: 'Hi' })).status).toBe(429)
  expect(await server.services.store.history.runs(chat_id)).toEqual([])
})

it('rate limit is off by default', async () => {
  const server = await testServer()
  const { headers } = await server.send('GET', models)
  expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
})

const page = 'http://localhost:5173'
const preflight = {
  origin: page,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization, content-type, idempotency-key',
  authorization: '',
}

describe('a page in a browser', () => {
  it.each([[[page]], [['https://other.example', page]], [['*']]])(
    'may send requests with the origins %j',
    async (origins) => {
      const server = await testServer({ origins })
      for (const path of ['/api/v3/chat', '/api/openai/chat/completions', '/healthz']) {
        const allowed = await server.send('OPTIONS', path, { headers: preflight })
        expect([path, allowed.status, allowed.text]).toEqual([path, 204, ''])
        const { headers } = allowed
        expect(headers.get('access-control-allow-origin')).toBe(origins[0] === '*' ? '*' : page)
        expect(headers.get('access-control-allow-methods')).toContain('PATCH')
        expect(headers.get('access-control-allow-headers')).toContain('idempotency-key')
      }
    },
  )

  it('may read streams, refusals and unknown routes', async () => {
    const server = await testServer({ origins: [page] })
    const origin = { origin: page }
    const chat = { model: 'SVC-Main', messages: [{ role: 'user', content: 'Hi' }], stream: true }
    const answers = [
      await server.send('POST', '/api/openai/chat/completions', { body: chat, headers: origin }),
      await server.send('POST', '/api/v3/chat', { body: '{', headers: origin }),
      await server.send('GET', '/api/v3/chat', { headers: { ...origin, authorization: '' } }),
      await server.send('GET', '/nothing', { headers: origin }),
      await server.send('GET', '/docs', { headers: origin }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 404, 200])
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe(page)
      expect(headers.get('access-control-expose-headers')).toContain('x-request-id')
      expect(headers.get('vary')).toMatch(/Origin/i)
    }
  })
})

describe('CORS allows nothing', () => {
  it('to a page of another origin', async () => {
    const server = await testServer({ origins: [page] })
    const headers = { ...preflight, origin: 'https://evil.example' }
    const answer = await server.send('OPTIONS', '/api/v3/chat', { headers })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('without origins, so that a preflight needs a key', async () => {
    const server = await testServer()
    const { status, headers } = await server.send('OPTIONS', '/api/v3/chat', { headers: preflight })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, null])
  })
})

it('OPTIONS without preflight headers is not a preflight, and none authenticates', async () => {
  const server = await testServer({ origins: [page] })
  const bare = await server.send('OPTIONS', '/api/v3/chat', { headers: { authorization: '' } })
  expect(bare.status).toBe(401)
  expect((await server.send('OPTIONS', '/api/v3/chat')).status).toBe(405)
  expect((await server.send('OPTIONS', '/nothing')).status).toBe(404)
  const after = await server.send('GET', '/api/v3/chat', { headers: { authorization: '' } })
  expect(after.status).toBe(401)
})

const chat = { name: 'x' }

it('rejects invalid JSON, invalid UTF-8 and deep nesting', async () => {
  const server = await testServer()
  const bodies = [
    '{',
    'nul',
    '',
    '"text"',
    '[]',
    'null',
    '{"name": "a"} trailing',
    Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d),
    `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    `{"x":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`,
    '['.repeat(2_000_000),
  ]
  for (const body of bodies) {
    const { status, json, headers } = await server.send('POST', '/api/v3/chat', { body })
    expect(status).toBe(400)
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(json).toMatchObject({
      status: 400,
      title: 'Bad Request',
      error: { type: 'invalid_request_error' },
    })
  }
})

it('accepts brackets within strings', async () => {
  const server = await testServer()
  const name = '[{'.repeat(100) + '\\"'.repeat(3)
  expect((await server.send('POST', '/api/v3/chat', { body: { name } })).json.name).toBe(name)
})

it('rejects a body of 10 MB, with or without Content-Length, and continues', async () => {
  const server = await testServer()
  const large = 'x'.repeat(10_000_000)
  const { status, json } = await server.send('POST', '/api/v3/chat', { body: { name: large } })
  expect([status, json.error.code]).toEqual([413, 'body_too_large'])
  const chunked = await fetch(`${server.url}/api/v3/chat`, {
    method: 'POST',
    duplex: 'half',
    headers: { authorization: `Bearer ${server.keys[0]}`, 'content-type': 'application/json' },
    body: new Blob([large]).stream(),
  })
  expect(chunked.status).toBe(413)
  await chunked.body?.cancel()
  expect((await server.send('POST', '/api/v3/chat', { body: chat })).status).toBe(201)
})

it('requires application/json', async () => {
  const server = await testServer()
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
    const headers = { 'content-type': type }
    const { status, json } = await server.send('POST', '/api/v3/chat', {
      body: '{"name":"x"}',
      headers,
    })
    expect([status, json.error.code]).toEqual([415, 'unsupported_media_type'])
  }
  const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
  expect((await server.send('POST', '/api/v3/chat', { body: chat, headers })).status).toBe(201)
})

it('deletes without a body, with or without a Content-Type', async () => {
  const server = await testServer()
  const types: Record<string, string>[] = [{}, { 'content-type': 'application/json' }]
  for (const headers of types) {
    const id = await server.newChat()
    expect((await server.send('DELETE', `/api/v3/chat/${id}`, { headers })).status).toBe(204)
  }
})

it('distinguishes 404 from 405', async () => {
  const server = await testServer()
  expect((await server.send('GET', '/api/openai/nothing')).status).toBe(404)
  const unknown = await server.send('GET', '/nothing')
  expect(unknown.status).toBe(404)
  expect(unknown.json.detail).toContain('/api/openai, /api/v2, /api/v3 and /api/knowledge')
  expect((await server.send('GET', `/api/v3/chat/${'x'.repeat(5000)}`)).status).toBe(404)
  const wrong = await server.send('DELETE', '/api/openai/chat/completions', { body: {} })
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
  const put = await server.send('PUT', '/api/v3/chat')
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD'])
  expect((await server.send('HEAD', '/api/v3/chat')).status).toBe(200)
})

it.each([
  ['/v1/chat/completions', 'POST', '/api/openai/chat/completions'],
  ['/openai/v1/models', 'GET', '/api/openai/models'],
  ['/api/openai/v1/models', 'GET', '/api/openai/models'],
  ['/chat/completions', 'POST', '/api/openai/chat/completions'],
  ['/v3/message/generate', 'POST', '/api/v3/message/generate'],
  ['/v2/chat', 'GET', '/api/v2/chat'],
  ['/api/v1/models', 'GET', '/api/openai/models'],
  ['/api/api/v3/chat', 'GET', '/api/v3/chat'],
])('suggests the right path for %s', async (path, method, right) => {
  const server = await testServer()
  const { status, json } = await server.send(method, path)
  expect([status, json.detail]).toEqual([404, `No such route: ${path}. Did you mean ${right}?`])
})

it('returns the request id of the client or a generated one', async () => {
  const server = await testServer()
  const given = await server.send('GET', '/api/openai/models', {
    headers: { 'x-request-id': 'mine' },
  })
  expect(given.headers.get('x-request-id')).toBe('mine')
  const made = await server.send('GET', '/api/openai/models')
  expect(made.headers.get('x-request-id')).toMatch(/^req_/)
})

it('rejects bytes that are not HTTP', async () => {
  const server = await testServer()
  const responseTo = (bytes: string) => exchangeBytes(server, bytes)
  expect(await responseTo('hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  const header = `x: ${'y'.repeat(100_000)}`
  expect(await responseTo(`GET / HTTP/1.1\r\n${header}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /)
})

const completionText = (header: string, version?: string) =>
  requestText(completionsPath, completion('[[say=one two three]]'), header, version)

it('writes pipelined streams one after the other', async () => {
  const server = await testServer({ pace: { ttftMs: 5, gapMs: 1, jitter: 0 } })
  const text = await exchange(server, completionText('') + completionText('connection: close\r\n'))
  const answers = text.split(/(?=HTTP\/1\.1 200)/)
  expect(answers).toHaveLength(2)
  for (const answer of answers) expect(answer).toMatch(/data: \[DONE\]\n\n\r\n0\r\n\r\n$/)
})

it('uses no chunked encoding for HTTP/1.0', async () => {
  const server = await testServer()
  const text = await exchange(server, completionText('', '1.0'))
  expect(text).toMatch(/\r\n\r\ndata: \{.*\}\n\n/)
  expect(text).toMatch(/\n\ndata: \[DONE\]\n\n$/)
})

it('writes each event in its own chunk at any pace', async () => {
  for (const gapMs of [0, 3]) {
    const server = await testServer({ pace: { ttftMs: 0, gapMs, jitter: 0 } })
    const text = await exchange(server, completionText('connection: close\r\n'))
    const chunks = text.match(/^[0-9a-f]+\r\ndata: .*\n\n\r$/gm)
    expect(chunks).toHaveLength(6)
  }
})

it('sends all events before a stream breaks', async () => {
  const errors: unknown[] = []
  const server = await testServer({
    onInternalError: (error) => errors.push(error),
    patch: (services) => ({
      ...services,
      encode: (block) => {
        if (block.data === '[DONE]') throw new RangeError('broken')
        return services.encode(block)
      },
    }),
  })
  const text = await exchange(server, completionText(''))
  expect(text.match(/^data: .*$/gm)).toHaveLength(5)
  expect(text).not.toMatch(/\r\n0\r\n\r\n$/)
  expect(errors).toEqual([new RangeError('broken')])
})

const oneShot = (stream: boolean) => ({ model_id: 'SVC-Main', input: '[[tokens=5]]', stream })
const requests = [
  [completionsPath, completion('[[tokens=5]]')],
  [completionsPath, completion('[[tokens=5]]', false)],
  ['/api/v3/message/one-shot', oneShot(true)],
  ['/api/v3/message/one-shot', oneShot(false)],
  ['/api/v3/message/one-shot', {}],
] as const

it.each(requests)(
  'adds timestamps on request, and changes nothing else: %s %j',
  async (path, body) => {
    const plain = await rawAnswer(path, body, '')
    expect(await rawAnswer(path, body, 'x-chatgen-stamps: 0\r\n')).toEqual(plain)
    const began = process.hrtime.bigint()
    const stamped = await rawAnswer(path, body, 'x-chatgen-stamps: 1\r\n')
    const ended = process.hrtime.bigint()
    const stamps = [...stamped.matchAll(/^(?:: sent|x-chatgen-\w+:) (\d+)/gm)].map(([, ns = '']) =>
      BigInt(ns),
    )
    const times = [began, ...stamps, ended]
    expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : 1)))
    const events = plain.match(/^data: /gm) ?? []
    expect(stamps).toHaveLength(events.length > 0 ? events.length + 1 : 2)
    const without = stamped
      .replaceAll(/^: sent \d+\n/gm, '')
      .replaceAll(/^x-chatgen-\w+: \d+\r\n/gm, '')
    expect(unframed(without)).toBe(unframed(plain))
  },
)

it('writes timestamp and event in one chunk', async () => {
  const text = await rawAnswer(...requests[0], 'x-chatgen-stamps: 1\r\n')
  const events = chunksOf(text.slice(text.indexOf('\r\n\r\n') + 4))
  expect(events).toHaveLength(8)
  for (const event of events) expect(event).toMatch(/^: sent \d+\ndata: \S.*\n\n$/)
})

function chunksOf(body: string): string[] {
  const size = Number.parseInt(body, 16)
  const from = body.indexOf('\r\n') + 2
  return size > 0 ? [body.slice(from, from + size), ...chunksOf(body.slice(from + size + 2))] : []
}

/** Head and body, without the Date header, of answers that differ by their timestamps alone. */
async function rawAnswer(path: string, body: object, header: string): Promise<string> {
  const clock = { now: () => 1_700_000_000_000, sleep: async () => {} }
  const server = await testServer({ keys: ['key'], clock, ids: countingIds() })
  const text = await exchange(server, requestText(path, body, `connection: close\r\n${header}`))
  return text.replace(/^Date: .*\r\n/im, '')
}

function requestText(path: string, body: object, header: string, version = '1.1'): string {
  const json = JSON.stringify(body)
  return [
    `POST ${path} HTTP/${version}`,
    'host: x',
    'content-type: application/json',
    `content-length: ${json.length}`,
    `authorization: Bearer KEY\r\n${header}`,
    json,
  ].join('\r\n')
}

const exchange = (server: TestServer, sent: string) =>
  exchangeBytes(server, sent.replaceAll('Bearer KEY', `Bearer ${server.keys[0]}`))

/** Chunk sizes depend on the content. */
function unframed(text: string): string {
  return text.replaceAll(/(\r\n)[0-9a-f]+\r\n/g, '$1')
}

it('keeps its own pages unchanged by deviations', async () => {
  const server = await testServer({
    patch: (services) => ({ ...services, outgoing: (_, reply) => ({ ...reply, status: 418 }) }),
  })
  const statusOf = async (path: string) => (await fetch(`${server.url}${path}`)).status
  expect(await statusOf('/docs')).toBe(200)
  expect(await statusOf('/api/openai/models')).toBe(418)
})
