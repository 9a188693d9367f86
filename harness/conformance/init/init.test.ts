import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asObject, parseJson } from '../../../contract/json.ts'
import { forSome } from '../../../contract/test-support/for-all.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import {
  ended,
  forward,
  listening,
  readBody,
} from '../../client/test-support/listen-on-loopback.ts'
import { startSecondServer } from '../../proof/test-support/second-server/server.ts'
import { readJournal } from '../cleanup/journal.ts'
import { modelIdsIn } from '../preflight/models.ts'
import { loadProfile } from '../profile/index.ts'
import { startChatServer } from '../test-support/chat-server.ts'
import {
  check,
  lineOf,
  profileOf,
  requirementsWith,
  temporaryFolder,
} from '../test-support/check.ts'
import type { Detection } from './detect.ts'
import { type InitOptions, initProfile } from './init.ts'
import { profileText } from './profile-text.ts'

const limits = { timeoutMs: 5_000, settleMs: 60 }

describe('a generated profile', () => {
  test('of the reference server is complete and passes a check', async () => {
    const server = ended(await startReferenceServer())
    const [key = ''] = server.keys
    const { text, cost, open } = await init(server.url, key)
    const profile = loaded(text, key, { limits })
    expect(profile).toMatchObject({
      baseUrl: server.url,
      apiKey: key,
      models: { main: 'svc-main-model', aliases: ['SVC-Main'], vision: 'SVC-Vision' },
      capabilities: { reasoning: true, images: true, attachments: true, knowledge: true },
      v2Chat: { create: { method: 'POST', path: '/api/v2/chat', body: { name: '{name}' } } },
    })
    expect(profile.capabilities.rag).toBeUndefined()
    expect(profile.tools).toBeUndefined()
    expect(text).not.toContain(key)
    expect(cost).toEqual({ requests: 22, generations: 3 })
    expect(open).toMatchObject([{ kind: 'attachment' }])

    const report = await check(profile, { depth: 'quick' })
    expect(requirementsWith(report, 'fail', 'error').map(lineOf)).toEqual([])
    expect(report.faults).toEqual([])
  })

  test('finds a cursor with another name, and v2 despite refusals that are not JSON', async () => {
    const server = ended(await startSecondServer())
    const { text, open } = await init(server.url, server.keys[0])
    const profile = loaded(text, server.keys[0])
    expect(profile.shapes).toEqual({ chatCursor: '/page/further' })
    expect(profile.v2Chat).toEqual({ anyUuid: true })
    expect(text).toContain('# requests: { generate: { assistant_id: <uuid> } }')
    expect(open.filter(({ kind }) => kind === 'chat')).toEqual([])
    expect(server.chats()).toBe(1)
    const swift = { ...profile, limits: { ...profile.limits, settleMs: 60 } }
    const report = await check(swift, {
      depth: 'quick',
      only: ['V3-CHAT', 'V2-MSG', 'V2-GEN', 'VER'],
    })
    expect(requirementsWith(report, 'fail', 'error').map(lineOf)).toEqual([])
  })

  test('has a chat id pointer only if the id is ambiguous', async () => {
    const owner = '11111111-2222-4333-8444-555555555555'
    const made = (id: string) => ({ id: owner, made: [{ 'chat/ref': id }] })
    const server = ended(await startChatServer({ created: ({ id }) => made(id) }))
    const { text, open } = await init(server.url, server.key)
    const profile = loaded(text, server.key)
    expect(profile.shapes).toEqual({ chatId: '/made/0/chat~1ref' })
    expect(profile.capabilities).toEqual({})
    expect(open).toEqual([])
    expect(server.chats.size).toBe(0)
  })

  test('contains neither an echoed key nor variables', async () => {
    const key = 'sk-4711-echoed'
    const host = await listening((request, response) => {
      response.setHeader('content-type', 'application/json')
      const ids = [key, `\${HOME}`, 'two words', 'a: b #c', 'mörk-{1},[2]']
      const chat = { [`${request.headers.authorization}\n${'x'.repeat(5_000)}`]: 1 }
      response.end(JSON.stringify({ data: ids.map((id) => ({ id })), ...chat }))
    })
    const { text } = await init(host.url, key)
    expect(text).not.toContain(key)
    expect(text.length).toBeLessThan(12_000)
    const { models, capabilities } = loaded(text, key)
    expect(models.main).toBe('mörk-{1},[2]')
    expect(capabilities).toMatchObject({})
  })

  test('names the first listed model that answers', async () => {
    const server = ended(await startReferenceServer())
    const [key = ''] = server.keys
    const data = ['embedder', 'talking-model1', 'other'].map((id) => ({ id, object: 'model' }))
    const front = await listening(async (request, response) => {
      const body = await readBody(request)
      const model = asObject(parseJson(body.toString()))?.['model']
      response.setHeader('content-type', 'application/json')
      if (request.url === '/api/openai/models') response.end(JSON.stringify({ data }))
      else if (model === 'embedder') response.writeHead(400).end('{"error":"no chat model"}')
      else {
        const renamed = Buffer.from(body.toString().replace('"talking-model1"', '"svc-main-model"'))
        forward(server.url, request, response, { body: renamed })
      }
    })
    const { detection } = await init(front.url, key)
    expect(detection.models.value?.main).toBe('talking-model1')
  })

  test('names a required field of generations, with a value that was found', async () => {
    const server = ended(await startReferenceServer())
    const [key = ''] = server.keys
    const assistant = 'c2a91f68-84d7-4be3-b0c5-13f7a6d29e81'
    const front = await listening(async (request, response) => {
      const body = await readBody(request)
      const isGeneration = request.url === '/api/v3/message/generate'
      if (isGeneration && !body.toString().includes('assistant_id')) {
        response.writeHead(422, { 'content-type': 'application/json' })
        response.end('{"detail":[{"loc":["body","assistant_id"],"msg":"Field required"}]}')
        return
      }
      if (request.url === '/api/v3/assistant') {
        response.end(JSON.stringify([{ id: assistant, name: 'Plain' }]))
        return
      }
      forward(server.url, request, response, { body })
    })
    const { text } = await init(front.url, key)
    const profile = loaded(text, key, { limits })
    expect(profile.requests.generate).toEqual({ assistant_id: assistant })
    expect(profile.capabilities).toMatchObject({ reasoning: true, images: true })
    expect(text).toContain('the refusal names assistant_id')
    const report = await check(profile, { only: ['V3-GEN-02', 'V3-SSE-01', 'V3-THINK-01'] })
    const lines = ['V3-GEN-02 pass', 'V3-THINK-01 pass', 'V3-SSE-01 pass']
    expect(report.requirements.map(lineOf)).toEqual(lines)
  })

  test('keeps what was found within maxRequests, and leaves no chat', async () => {
    const server = ended(await startReferenceServer())
    const { text, detection, open } = await init(server.url, server.keys[0], { maxRequests: 8 })
    expect(detection.models.value?.main).toBe('svc-main-model')
    expect(detection.images.value).toBeUndefined()
    expect(text).toContain('more than 8 requests')
    expect(open.filter(({ kind }) => kind === 'chat')).toEqual([])
  })

  test('can be loaded after any detection', { timeout: 60_000 }, () => {
    const anything = fc.string({ unit: 'binary', maxLength: 60 })
    const evidence = fc.array(anything, { maxLength: 3 })
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
    const detected = <T>(value: fc.Arbitrary<T>) => fc.record({ value: maybe(value), evidence })
    const found = detected(fc.constant(true as const))
    const [usable, refusesKey] = [fc.boolean(), fc.boolean()]
    const surface = fc.record({ usable, refusesKey, evidence: anything })
    const name = anything.filter((text) => modelIdsIn([text]).length > 0)
    const detection: fc.Arbitrary<Detection> = fc.record({
      surfaces: fc.record({ openai: surface, v2: surface, v3: surface }),
      models: detected(
        fc.record({ main: name, aliases: fc.array(name, { maxLength: 2 }), vision: maybe(name) }),
      ),
      chat: detected(
        fc.record({
          id: fc.uuid(),
          pointer: fc.option(anything.map((part) => `/${part.replaceAll(/[~/$]/g, '')}`)),
        }),
      ),
      chatCursor: detected(fc.constantFrom('', '/page/further')),
      required: detected(fc.record({ assistant_id: fc.uuid() })),
      ...{ reasoning: found, images: found, attachments: found, knowledge: found },
      v2Chat: detected(fc.constantFrom('create' as const, 'anyUuid' as const)),
    })
    forSome(50, detection, fc.boolean(), (one, keyGiven) => {
      const about = { baseUrl: 'http://127.0.0.1:4010', keyEnv: 'A_KEY', keyGiven }
      const profile = loadProfile({ name: 'it', text: profileText(one, about) }, { A_KEY: 'k' })
      expect(profile.apiKey).toBe(keyGiven ? 'k' : undefined)
      expect(profile.capabilities.reasoning).toBe(one.reasoning.value)
      if (one.models.value) expect(profile.models.main).toBe(one.models.value.main)
    })
  })
})

test.each([
  [{ object: 'list', data: [{ id: 'a', object: 'model' }, { id: 'b' }] }, ['a', 'b']],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [{ models: [{ name: 'Nice', slug: 'a', description: 'x' }] }, ['a']],
  [{ models: [{ name: 'SVC-Main' }, { name: 'SVC-Vision' }] }, ['SVC-Main', 'SVC-Vision']],
  [{ error: 'no models' }, []],
  ['plain', []],
])('modelIdsIn finds the ids in %j', (body, ids) => {
  expect(modelIdsIn(body)).toEqual(ids)
})

function loaded(text: string, key = '', options: Parameters<typeof loadProfile>[2] = {}) {
  return loadProfile({ name: 'it', text }, { CHATGEN_API_KEY: key }, options)
}

async function init(baseUrl: string, apiKey = '', options: Pick<InitOptions, 'maxRequests'> = {}) {
  const journalFile = join(temporaryFolder(), 'init.ndjson')
  const profile = profileOf({ baseUrl, apiKey })
  const result = await initProfile({ profile, keyEnv: 'CHATGEN_API_KEY', journalFile, ...options })
  return { ...result, open: readJournal(journalFile).open }
}
