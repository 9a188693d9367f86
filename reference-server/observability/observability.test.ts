import { describe, expect, it } from 'vitest'
import { leaveInMidStream, openCompletion, testServer } from '../test-support/server.ts'

const key = 'sk-"odd"/+=&key'
const origin = 'http://localhost:5173'

async function logged(format: 'json' | 'pretty') {
  const lines: string[] = []
  const server = await testServer({
    keys: [key],
    origins: [origin],
    log: { format, write: (text) => lines.push(text) },
  })
  return { server, lines }
}

describe('the log', () => {
  it('has a line for each request, with the reason of a refusal', async () => {
    const { server, lines } = await logged('json')
    await server.complete('Hello', { stream: true })
    await server.send('GET', `/api/v3/chat/${crypto.randomUUID()}?search=private`)
    await server.send('OPTIONS', '/api/v3/chat', {
      headers: { origin, 'access-control-request-method': 'POST', authorization: '' },
    })
    await server.close()
    const requests = lines.map((line) => JSON.parse(line))
    expect(requests).toMatchObject([
      {
        level: 'info',
        'http.request.method': 'POST',
        'http.route': '/api/openai/chat/completions',
        'http.response.status_code': 200,
        caller: 'caller-1',
        stream: true,
      },
      {
        level: 'warn',
        'http.route': '/api/v3/chat/:chat_id',
        'http.response.status_code': 404,
        code: 'chat_not_found',
        detail: expect.stringContaining('No chat'),
      },
      { level: 'info', 'http.request.method': 'OPTIONS', 'http.response.status_code': 204 },
    ])
    expect(requests.every(({ durationMs }) => typeof durationMs === 'number')).toBe(true)
    expect(lines.join('')).not.toContain('private')
  })

  it.each(['json', 'pretty'] as const)(
    'contains no key as %s in any field of a request',
    async (format) => {
      const { server, lines } = await logged(format)
      await server.send('GET', '/api/openai/models', {
        headers: { cookie: 'session=cookie-secret', 'x-api-key': 'other-secret', 'x-any': key },
      })
      await server.send('GET', '/api/openai/models', {
        headers: { authorization: 'Bearer wrong-secret' },
      })
      await server.send('GET', `/api/openai/models/${encodeURIComponent(key)}`)
      await server.complete('Hi', { model: key })
      await server.close()
      const log = lines.join('')
      expect(lines).toHaveLength(4)
      expect(log).toContain('[redacted]')
      for (const secret of [key, 'odd', encodeURIComponent(key), 'cookie-secret', 'wrong-secret']) {
        expect(log).not.toContain(secret)
      }
    },
  )

  it('reports a client that left', async () => {
    const { server, lines } = await logged('pretty')
    await leaveInMidStream(await openCompletion(server, '[[pace=gap=50ms]]'))
    await expect.poll(() => lines.join('')).toContain('client disconnected')
    expect(lines.join('')).toMatch(
      /POST \/api\/openai\/chat\/completions 200 \d+\.\d ms {2}caller-1 {2}stream/,
    )
  })
})

describe('/metrics', () => {
  it('counts requests and tokens without keys', async () => {
    const server = await testServer({ metrics: true, pace: { ttftMs: 300, gapMs: 5, jitter: 0 } })
    await server.complete('[[tokens=10]]', { stream: true })
    await server.complete('[[tokens=10]]')
    await server.send('GET', '/api/v3/chat/unknown')
    await server.send('GET', '/nothing')
    const { status, headers, text } = await server.send('GET', '/metrics', {
      headers: { authorization: '' },
    })
    expect([status, headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    expect(text).toContain(
      'http_server_request_duration_seconds_count{http_request_method="POST",http_route="/api/openai/chat/completions",http_response_status_code="200"} 2',
    )
    expect(text).toContain('http_route="/api/v3/chat/:chat_id",http_response_status_code="404"} 1')
    expect(text).toContain('chatgen_tokens_total{gen_ai_token_type="output"} 20')
    expect(text).toContain('gen_ai_server_request_duration_seconds_count 2')
    expect(text).toContain('gen_ai_server_time_to_first_token_seconds_count 1')
    expect(text).toContain('gen_ai_server_time_to_first_token_seconds_bucket{le="0.02"} 0')
    expect(text).toContain('gen_ai_server_time_per_output_token_seconds_count 1')
    expect(text).toContain('http_server_active_requests 1')
  })

  it('is 404 by default', async () => {
    const server = await testServer()
    expect((await server.send('GET', '/metrics')).status).toBe(404)
  })
})
