/** Bad input on every route: no crash, no 5xx, and refused requests change nothing. */
import fc from 'fast-check'
import { Agent, request } from 'undici'
import { afterAll, expect, it } from 'vitest'
import { seededBaseId } from './answering/assistant-context.ts'
import type { Route } from './http/call.ts'
import { openStore } from './store/open-store.ts'
import type { Store } from './store/sql/store.ts'
import { allRoutes, documented } from './surfaces/all-routes.ts'
import { type TestServer, testServer } from './test-support/server.ts'

const requestsPerRoute = 65
const dispatcher = new Agent({ connections: 1 })
afterAll(() => dispatcher.close())

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'multipart/form-data; boundary=b' }
const part = 'Content-Disposition: form-data; name="file"; filename="a.txt"'

/** Fields of paths, queries and bodies; each route reads some of them. */
async function goodMembers(server: TestServer) {
  const turn = { model_id: 'svc-main-model', content: 'Hi' }
  const old = await server.newV2Chat()
  const stored = await server.send('POST', '/api/v2/message', { body: { chat_id: old, ...turn } })
  const chat_id = await server.newChat()
  const { json: run } = await server.generate({ chat_id, input: 'Hello' })
  const common = { ...turn, base_id: seededBaseId, q: 'ferry', query: 'ferry', name: 'A name' }
  const messages = [{ role: 'user', content: 'Hi' }]
  const v3 = { ...common, chat_id, parent_id: run.id, model: 'svc-main-model', messages }
  return (path: string): Readonly<Record<string, unknown>> => {
    if (path.startsWith('/api/v2/')) return { ...common, chat_id: old, parent_id: stored.json.id }
    return path.endsWith('one-shot') ? v3 : { ...v3, input: 'Hello' }
  }
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.constantFrom('0', '-1', '[]', '{}', '1e999', 'x'.repeat(3000), '__proto__', '%', '..', '%00'),
  fc.uuid(),
)
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, -1, 1e308, '', [], {}, [null], [{ role: 'user', content: [{}] }]),
  fc.constantFrom<unknown>([{ type: 'function_call_output', call_id: 'x', output: [null] }]),
  text,
)
const headers = fc.constantFrom<Record<string, string>>(
  ...[json, json, json, form, {}, { ...json, authorization: 'Bearer wrong' }],
  ...[
    { ...json, 'idempotency-key': '' },
    { ...json, 'content-encoding': 'gzip' },
  ],
)

/** A good request with one or two bad values in its path, its query or its body. */
function badRequest(route: Route, good: Readonly<Record<string, unknown>>) {
  const whole = JSON.stringify(good)
  const bodies = fc.oneof(
    fc.tuple(fc.constantFrom(...Object.keys(good)), value).map((pair) => {
      return JSON.stringify({ ...good, ...Object.fromEntries([pair]) })
    }),
    value.map((any) => JSON.stringify(any)),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.nat(whole.length - 1).map((length) => whole.slice(0, length)),
    text.map((any) => `--b\r\n${part}\r\n\r\n${any}\r\n--b${any.length % 2 ? '--' : ''}`),
    text.map((any) => `--b\r\n${any}\r\n\r\nx\r\n--b--`),
  )
  const names = fc.constantFrom('cursor', 'limit', 'search', 'q', 'chat_id')
  return fc
    .record({ id: fc.option(text), name: names, any: text, headers, body: bodies })
    .map(({ id, name, any, headers, body }) => {
      // Valid objects are not deleted.
      const segment = route.method === 'DELETE' ? (id ?? 'wrong') : id
      const path = route.path.replace(/:(\w+)/g, (_, member) =>
        encodeURIComponent((segment ?? String(good[member])).toWellFormed()),
      )
      const query = new URLSearchParams({ chat_id: String(good['chat_id']), q: 'ferry' })
      query.set(name, any.toWellFormed())
      const sent = route.method === 'POST' || route.method === 'PATCH' ? { body } : {}
      return { path: `${path}?${query}`, headers, ...sent }
    })
}

/** The store, and the number of calls that write to it. */
function counted(store: Store): { readonly store: Store; readonly writes: () => number } {
  let writes = 0
  const count = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name, receiver) {
        if (/^(create|append|update|delete|add|link|remove)/.test(String(name))) writes += 1
        return Reflect.get(target, name, receiver)
      },
    })
  const names = ['chats', 'history', 'messages', 'attachments', 'knowledge'] as const
  const parts = Object.fromEntries(names.map((name) => [name, count(store[name])]))
  return { store: { ...store, ...parts }, writes: () => writes }
}

it('bad input is rejected on each route without 5xx or writes', async () => {
  const { store, writes } = counted(await openStore('memory'))
  const server = await testServer({ store, uploadLimitBytes: 2000 })
  const members = await goodMembers(server)
  let refused = 0
  for (const route of documented(allRoutes(server.services))) {
    await fc.assert(
      fc.asyncProperty(badRequest(route, members(route.path)), async (sent) => {
        const before = writes()
        const key = { 'idempotency-key': crypto.randomUUID() }
        const answer = await request(server.url + sent.path, {
          dispatcher,
          method: route.method,
          headers: { authorization: `Bearer ${server.keys[0]}`, ...key, ...sent.headers },
          body: sent.body ?? null,
        })
        const text = await answer.body.text()
        expect(answer.statusCode).toBeLessThan(500)
        if (answer.statusCode < 400) return
        refused += 1
        expect(writes()).toBe(before)
        expect(JSON.parse(text)).toMatchObject({
          status: answer.statusCode,
          error: { message: expect.any(String), type: expect.any(String) },
        })
      }),
      { numRuns: requestsPerRoute },
    )
  }
  expect(refused).toBeGreaterThan(1000)
  const chat_id = await server.newChat()
  expect((await server.generate({ chat_id, input: 'Still there?' })).status).toBe(200)
}, 60_000)
