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
