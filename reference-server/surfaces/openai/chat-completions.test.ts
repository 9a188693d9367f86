import { describe, expect, it } from 'vitest'
import { readChunks, testServer } from '../../test-support/server.ts'

describe('one JSON answer', () => {
  it('honors max_tokens under either name', async () => {
    const server = await testServer()
    for (const member of ['max_tokens', 'max_completion_tokens']) {
      const { json } = await server.complete('Hello', { [member]: 3 })
      expect(json.choices[0].finish_reason).toBe('length')
      expect(json.usage.completion_tokens).toBe(3)
    }
  })

  it('refuses in the member that clients look for', async () => {
    const server = await testServer()
    const { json } = await server.complete('[[refuse]]')
    expect(json.choices[0].message).toMatchObject({ content: '', refusal: expect.any(String) })
  })
})

it('a stream ends in an error when the model fails on the way', async () => {
  const server = await testServer()
  const { text } = await server.complete('[[fail=3]]', { stream: true })
  const [error, ...before] = readChunks(text).toReversed()
  expect(error).toMatchObject({ error: { type: 'server_error', code: 'server_error' } })
  expect(before).toHaveLength(4)
  expect((await server.complete('[[fail=3]]')).status).toBe(500)
})

it('fails before the answer when the prompt orders it', async () => {
  const server = await testServer()
  const { status, headers, json } = await server.complete('[[error=429]]', { stream: true })
  expect([status, headers.get('retry-after')]).toEqual([429, '1'])
  expect(json.error).toMatchObject({ type: 'rate_limit_error' })
})
