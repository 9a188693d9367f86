import { describe, expect, it } from 'vitest'
import { parseJson } from '../../contract/json.ts'
import {
  completion,
  completionsPath,
  type Json,
  type TestServer,
  testServer,
} from '../test-support/server.ts'

const surfaces = {
  openai: (_server: TestServer, prompt: string, stream: boolean) => ({
    path: completionsPath,
    body: completion(prompt, stream),
  }),
  'v3 one-shot': (_server: TestServer, prompt: string, stream: boolean) => ({
    path: '/api/v3/message/one-shot',
    body: { model_id: 'SVC-Main', input: prompt, stream },
  }),
  'v3 generate': async (server: TestServer, prompt: string, stream: boolean) => ({
    path: '/api/v3/message/generate',
    body: { model_id: 'SVC-Main', chat_id: await server.newChat(), input: prompt, stream },
  }),
}

/** Reads a response, with its data lines of JSON and their tokens; disconnects after a second without a byte. */
async function receive(
  server: TestServer,
  { path, body }: { path: string; body: object },
  key = 'one',
) {
  const client = new AbortController()
  const leave = () => client.abort(new Error('left'))
  const patience = setTimeout(leave, 1000)
  let text = ''
  let end: 'whole' | 'cut' | 'left' = 'whole'
  try {
    const own = { 'content-type': 'application/json', 'idempotency-key': key }
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.keys[0]}`, ...own },
      body: JSON.stringify(body),
      signal: client.signal,
    })
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      patience.refresh()
      text += decoder.decode(chunk, { stream: true })
    }
  } catch {
    end = client.signal.aborted ? 'left' : 'cut'
  }
  clearTimeout(patience)
  const lines = text
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? line.slice(6) : []))
  const deltas = lines
    .flatMap((line): Json => parseJson(line) ?? [])
    .map((event) => event.delta ?? event.choices?.[0]?.delta?.content)
  const tokens = deltas.filter((delta) => typeof delta === 'string' && delta !== '').length
  return { text, lines, tokens, end }
}

/** The responses of all surfaces to a prompt, which are awaited side by side. */
async function receiveAll(prompt: string, stream: boolean) {
  const server = await testServer()
  return Promise.all(
    Object.entries(surfaces).map(async ([surface, request]) => {
      const received = await receive(server, await request(server, prompt, stream), surface)
      return { surface, ...received }
    }),
  )
}

describe('a directive on each surface', () => {
  it.each([
    ['drop', 'cut', false],
    ['stall', 'left', false],
    ['malformed', 'whole', true],
  ] as const)('[[%s=3]] breaks a response without a stream', async (kind, end, hasText) => {
    for (const received of await receiveAll(`[[${kind}=3]] [[tokens=8]]`, false)) {
      expect([received.end, received.text !== ''], received.surface).toEqual([end, hasText])
      expect(() => JSON.parse(received.text)).toThrow()
    }
  })

  it.each([
    ['drop', 3, 'cut', 3],
    ['stall', 3, 'left', 3],
    ['malformed', 3, 'whole', 8],
    ['drop', 8, 'cut', 8],
    ['stall', 8, 'left', 8],
    ['malformed', 8, 'whole', 8],
    ['drop', 9, 'whole', 8],
  ] as const)('[[%s=%i]] in a stream of 8 tokens: %s', async (kind, after, end, tokens) => {
    for (const received of await receiveAll(`[[${kind}=${after}]] [[tokens=8]]`, true)) {
      expect([received.end, received.tokens], received.surface).toEqual([end, tokens])
      const broken = received.lines.filter((line) => parseJson(line) === undefined).length
      expect(broken, received.surface).toBe(kind === 'malformed' ? 1 : 0)
    }
  })
})

it('a dropped turn is stored and repeated as a whole', async () => {
  const server = await testServer()
  const sent = await surfaces['v3 generate'](server, '[[drop=3]] [[tokens=8]]', true)
  expect((await receive(server, sent)).end).toBe('cut')
  await expect.poll(() => server.services.runs.size).toBe(0)
  const repeat = await receive(server, sent)
  expect([repeat.end, repeat.tokens]).toEqual(['whole', 8])
})
