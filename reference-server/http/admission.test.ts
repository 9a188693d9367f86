import { describe, expect, it } from 'vitest'
import { testServer } from '../test-support/server.ts'

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
