import { describe, expect, it } from 'vitest'
import { allRoutes } from '../surfaces/all-routes.ts'
import { testServer } from '../test-support/server.ts'

const bad: readonly [string, Record<string, string>][] = [
  ['no credentials', { authorization: '' }],
  ['a wrong key', { authorization: 'Bearer wrong' }],
  ['a key that only begins right', { authorization: 'Bearer right-and-more' }],
  ['the beginning of the key', { authorization: 'Bearer righ' }],
  ['another case', { authorization: 'Bearer RIGHT' }],
  ['another scheme', { authorization: 'Basic right' }],
  ['the key alone', { authorization: 'right' }],
  ['the scheme alone', { authorization: 'Bearer ' }],
  ['two keys', { authorization: 'Bearer right right' }],
]

describe('every route wants the key', () => {
  it.each(bad)('and refuses %s', async (_what, headers) => {
    const server = await testServer({ keys: ['right'] })
    const routes = allRoutes(server.services)
      .filter(({ path }) => path.startsWith('/api/'))
      .map(({ method, path }) => [method, path.replace(':chat_id', crypto.randomUUID())] as const)
    const others = [
      ['GET', '/api/unknown'],
      ['PUT', '/api/openai/models'],
      ['GET', '/api'],
      ['OPTIONS', '/api/v3/chat'],
      ['GET', '/api/%zz'],
    ] as const
    for (const [method, path] of [...routes, ...others]) {
      const answer = await server.send(method, path, {
        headers,
        ...(method === 'POST' ? { body: '{bad json' } : {}),
      })
      expect([method, path, answer.status]).toEqual([method, path, 401])
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm=/)
      expect(answer.json.error).toMatchObject({
        code: 'invalid_api_key',
        message: expect.any(String),
      })
    }
  })

  it('takes the scheme in any case', async () => {
    const server = await testServer({ keys: ['right'] })
    for (const authorization of ['bearer right', 'BEARER right', 'Bearer   right']) {
      const { status } = await server.send('GET', '/api/openai/models', {
        headers: { authorization },
      })
      expect(status).toBe(200)
    }
  })

  it('but /healthz does not', async () => {
    const server = await testServer()
    const { status, json } = await server.send('GET', '/healthz', {
      headers: { authorization: '' },
    })
    expect([status, json]).toEqual([200, { status: 'ok' }])
  })
})

const models = '/api/openai/models'

it('counts the requests of each key, and says when to come again', async () => {
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

it('counts refused requests and streams as well, and changes nothing once it refuses', async () => {
  const server = await testServer({ requestsPerMinute: 3 })
  const chat_id = await server.newChat()
  expect((await server.send('GET', '/api/v3/nothing')).status).toBe(404)
  const stream = await server.oneShot({ input: 'Hi', stream: true })
  expect(stream.headers.get('x-ratelimit-remaining-requests')).toBe('0')
  expect((await server.generate({ chat_id, input: 'Hi' })).status).toBe(429)
  expect(await server.services.store.history.runs(chat_id)).toEqual([])
})

it('is off unless it is asked for', async () => {
  const server = await testServer()
  const { headers } = await server.send('GET', models)
  expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
})
