import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { ended, listening } from '../client/test-support/listen-on-loopback.ts'
import { TargetUnusableError } from './errors.ts'
import { startChatServer } from './test-support/chat-server.ts'
import { check, exchangesIn, profileOf, temporaryFolder } from './test-support/check.ts'

const only = ['V3-CHAT', 'V3-FAV', 'OAI-MODELS']

test('a check connects only to the endpoints of the profile', async () => {
  const requests: IncomingMessage[] = []
  const elsewhere = await listening((request, response) => {
    requests.push(request)
    response.end('{}')
  })
  const redirecting = (request: IncomingMessage, response: ServerResponse) => {
    const location = `${elsewhere.url}${request.url}`
    response.writeHead(307, { location, link: `<${location}>; rel="next"` })
    response.end(JSON.stringify({ pagination: { cursor: location }, next: location }))
  }
  const endpoints = [await listening(redirecting), await listening(redirecting)]
  const baseUrls = endpoints.map(({ url }) => url)
  const outDir = temporaryFolder()
  await check(profileOf({ baseUrls, apiKey: 'a-key-of-some-length' }), {
    outDir,
    only: ['V3-CHAT-01', 'OAI-MODELS'],
    jobs: 4,
  })
  const origins = new Set(exchangesIn(outDir).map(({ request }) => new URL(request.url).origin))
  expect([...origins].sort()).toEqual([...baseUrls].sort())
  expect(requests).toEqual([])
})

test('a check does not start if one of the endpoints does not answer', async () => {
  const host = ended(await startChatServer())
  const profile = profileOf({ baseUrls: [host.url, 'http://127.0.0.1:1'], apiKey: host.key })
  const run = check(profile, { only, anyAnswer: false })
  await expect(run).rejects.toThrow(TargetUnusableError)
  await expect(run).rejects.toThrow(/127\.0\.0\.1:1/)
})
