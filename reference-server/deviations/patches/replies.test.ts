import { expect, test } from 'vitest'
import { testServer } from '../../test-support/server.ts'
import { setAt } from './json.ts'
import { onEachBlock, onError, setFields } from './replies.ts'
import { ignoreField, rejectRequests } from './requests.ts'
import { completions, matchesRoute } from './routes.ts'
import { onModel } from './services.ts'

test('matchesRoute compares method and path, and :name matches an id', () => {
  const id = '0b8f0d9a-6a3e-4c53-9d3f-3f1f2a6f0c11'
  const route = 'GET /api/v3/chat/:chat_id'
  expect(matchesRoute(route, { method: 'GET', path: `/api/v3/chat/${id}` })).toBe(true)
  expect(matchesRoute(route, { method: 'DELETE', path: `/api/v3/chat/${id}` })).toBe(false)
  expect(matchesRoute(route, { method: 'GET', path: '/api/v3/chat/favorite' })).toBe(false)
  expect(matchesRoute(route, { method: 'GET', path: `/api/v3/chat/${id}/attachments` })).toBe(false)
})

test('setFields changes successes and keeps errors', async () => {
  const { complete } = await testServer({ patch: setFields(completions, { id: 7 }) })
  expect((await complete('Hi')).json.id).toBe(7)
  expect((await complete('Hi', { temperature: 3 })).json.id).toBeUndefined()
})

test('onError sees the request as the client sent it', async () => {
  const { complete } = await testServer({
    patch: onError(
      completions,
      (reply) => ({ ...reply, status: 422 }),
      ({ body }) => JSON.stringify(body).includes('"temperature":3'),
    ),
  })
  expect((await complete('Hi', { temperature: 3 })).status).toBe(422)
  expect((await complete('Hi', { temperature: 4 })).status).toBe(400)
  expect((await complete('Hi')).status).toBe(200)
})

test('ignoreField and rejectRequests see request bodies', async () => {
  const lenient = await testServer({
    patch: ignoreField(completions, 'temperature', (value) => value !== 3),
  })
  expect((await lenient.complete('Hi', { temperature: 3 })).status).toBe(200)
  const strict = await testServer({
    patch: rejectRequests(completions, ({ temperature }) => temperature === 1, 409),
  })
  expect((await strict.complete('Hi', { temperature: 1 })).status).toBe(409)
})

test('onEachBlock maps blocks and keeps the end marker', async () => {
  const { complete } = await testServer({
    patch: onEachBlock(completions, (chunk, at) =>
      at === 0 ? [] : [setAt(chunk, 'id', at), setAt(chunk, 'id', -at)],
    ),
  })
  const { text } = await complete('[[say=Yes]]', { stream: true })
  const ids = [...text.matchAll(/"id":(-?\d+)/g)].map(([, id]) => Number(id))
  expect(ids).toEqual([1, -1, 2, -2])
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
})

test('onModel patches one surface', async () => {
  const patch = onModel('compatible', (model, request) => model({ ...request, maxTokens: 1 }))
  const { complete, generate, newChat } = await testServer({ patch })
  expect((await complete('Hi')).json.usage.completion_tokens).toBe(1)
  const reply = await generate({ chat_id: await newChat(), input: 'Hi' })
  expect(reply.json.usage.output_tokens).toBeGreaterThan(1)
})
