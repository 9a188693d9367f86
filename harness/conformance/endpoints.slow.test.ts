import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parsePace, startReferenceServer } from '../../reference-server/index.ts'
import { ended, listening } from '../client/test-support/listen-on-loopback.ts'
import { readJournal } from './cleanup/journal.ts'
import { TargetUnusableError } from './errors.ts'
import { startChatServer } from './test-support/chat-server.ts'
import {
  check,
  exchangesIn,
  profileOf,
  referenceProfile,
  temporaryFolder,
} from './test-support/check.ts'

const only = ['V3-CHAT', 'V3-FAV', 'OAI-MODELS']

test('no endpoint but those of the profile is ever connected to', async () => {
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

test('a run does not begin where one of the endpoints does not answer', async () => {
  const host = ended(await startChatServer())
  const profile = profileOf({ baseUrls: [host.url, 'http://127.0.0.1:1'], apiKey: host.key })
  const run = check(profile, { only, anyAnswer: false })
  await expect(run).rejects.toThrow(TargetUnusableError)
  await expect(run).rejects.toThrow(/127\.0\.0\.1:1/)
})

/** Leftovers are distinguished from other people's resources by name. */
test('all that a run creates is named with its tag', async () => {
  const keys = ['one-throw-away-key', 'another-throw-away-key']
  const pace = parsePace('ttft=2ms,gap=1ms')
  const server = ended(await startReferenceServer({ pace, keys }))
  const outDir = temporaryFolder()
  const only = ['*ATT*', 'KB-*', 'V3-CHAT-*', 'V2-MSG-*', 'V3-AUTH-*', 'VER-*']
  await check(referenceProfile(server.url, keys), { outDir, only })
  expect(exchangesIn(outDir).filter(({ labels }) => 'endpoint' in labels)).toEqual([])
  const journal = readJournal(join(outDir, 'journal.ndjson'))
  const created = journal.entries.filter(({ event }) => event === 'create')
  const kinds = new Set(created.map(({ kind }) => kind))
  expect(kinds).toEqual(new Set(['chat', 'v2 chat', 'attachment', 'document']))
  const names = journal.entries.flatMap((entry) => ('name' in entry ? [entry.name] : []))
  expect(names.filter((name) => !name.includes(journal.head.tag))).toEqual([])
})
