/** Bad input on every route: nothing breaks, nothing is a 5xx, and what is refused changes nothing. */
import fc from 'fast-check'
import { Agent, request } from 'undici'
import { afterAll, expect, it } from 'vitest'
import { documented } from './openapi/document.ts'
import { seededBases } from './seed.ts'
import { memoryStore } from './store/memory/store.ts'
import { allRoutes } from './surfaces/all-routes.ts'
import { badRequest, goodRequest } from './test-support/bad-requests.ts'
import { testServer } from './test-support/server.ts'
import { watched } from './test-support/watched-store.ts'
import { goodWorld } from './test-support/world.ts'

const requestsPerRoute = 65
const dispatcher = new Agent({ connections: 1 })
afterAll(() => dispatcher.close())

it('is refused on every route, at least 2,000 times', async () => {
  const { store, writes } = watched(memoryStore({ bases: seededBases() }))
  const server = await testServer({ store, uploadLimitBytes: 2000 })
  const world = await goodWorld(server)
  const refused = new Map<string, number>()
  for (const route of documented(allRoutes(server.services))) {
    const name = `${route.method} ${route.path}`
    if (route.method !== 'DELETE' && route.accepts === 'json') {
      const good = goodRequest(route, world)
      const { status } = await server.send(route.method, good.path, good)
      expect([name, status]).toEqual([name, route.answer.status])
    }
    await fc.assert(
      fc.asyncProperty(badRequest(route, world), async (sent) => {
        const before = writes()
        const answer = await request(server.url + sent.path, {
          dispatcher,
          method: route.method,
          headers: { authorization: `Bearer ${server.keys[0]}`, ...sent.headers },
          body: sent.body ?? null,
        })
        const text = await answer.body.text()
        expect(answer.statusCode).toBeLessThan(500)
        if (answer.statusCode < 400) return
        refused.set(name, (refused.get(name) ?? 0) + 1)
        expect(writes()).toBe(before)
        expect(JSON.parse(text)).toMatchObject({
          status: answer.statusCode,
          error: { message: expect.any(String), type: expect.any(String) },
        })
      }),
      { numRuns: requestsPerRoute },
    )
  }
  const total = [...refused.values()].reduce((sum, count) => sum + count, 0)
  expect(total).toBeGreaterThan(2000)
  const still = await server.generate({ chat_id: world.members['chat_id'], input: 'Still there?' })
  expect(still.status).toBe(200)
}, 60_000)
