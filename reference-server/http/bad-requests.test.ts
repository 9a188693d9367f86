import { expect, it } from 'vitest'
import { exchangeBytes, testServer } from '../test-support/server.ts'

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
