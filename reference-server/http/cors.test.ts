import { describe, expect, it } from 'vitest'
import { testServer } from '../test-support/server.ts'

const page = 'http://localhost:5173'
const preflight = {
  origin: page,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization, content-type, idempotency-key',
  authorization: '',
}

describe('a page in a browser', () => {
  it.each([[[page]], [['https://other.example', page]], [['*']]])(
    'may call, from %j',
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

  it('may read every answer: streams, refusals and unknown routes', async () => {
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

describe('nothing is allowed', () => {
  it('to a page of another origin', async () => {
    const server = await testServer({ origins: [page] })
    const headers = { ...preflight, origin: 'https://evil.example' }
    const answer = await server.send('OPTIONS', '/api/v3/chat', { headers })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('without origins: a preflight is a request like any other', async () => {
    const server = await testServer()
    const { status, headers } = await server.send('OPTIONS', '/api/v3/chat', { headers: preflight })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, null])
  })
})

it('a preflight authenticates nobody, and OPTIONS without its headers is no preflight', async () => {
  const server = await testServer({ origins: [page] })
  const bare = await server.send('OPTIONS', '/api/v3/chat', { headers: { authorization: '' } })
  expect(bare.status).toBe(401)
  expect((await server.send('OPTIONS', '/api/v3/chat')).status).toBe(405)
  expect((await server.send('OPTIONS', '/nothing')).status).toBe(404)
  const after = await server.send('GET', '/api/v3/chat', { headers: { authorization: '' } })
  expect(after.status).toBe(401)
})
