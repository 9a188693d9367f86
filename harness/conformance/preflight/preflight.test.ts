import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { surfaces as allSurfaces, type Surface } from '../../../contract/index.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { ended, listening } from '../../client/test-support/listen-on-loopback.ts'
import { ConfigurationError, TargetUnusableError } from '../errors.ts'
import { profileOf } from '../test-support/check.ts'
import { preflight } from './preflight.ts'

/** Recognition of the service behind any address, and of other servers. */

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const json =
  (status: number, body: unknown, headers = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
const page =
  (status: number, title: string, headers = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers })
    response.end(`<!doctype html><html><head><title>${title}</title></head><body>…</body></html>`)
  }
const text =
  (status: number, body: string): Handler =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'text/plain' }).end(body)
/** Responses by method and path; the last one is for all other paths. */
type RouteTable = Readonly<Record<string, Handler>>
const routes =
  (table: RouteTable, rest: Handler): Handler =>
  (request, response) => {
    const [path] = (request.url ?? '').split('?')
    ;(table[`${request.method} ${path}`] ?? rest)(request, response)
  }
const models = json(200, { object: 'list', data: [{ id: 'svc-main-model' }] })
const notFound = json(404, { detail: 'Not Found' })
const list = 'GET /api/openai/models'
const completions = 'POST /api/openai/chat/completions'

describe('preflight succeeds if', () => {
  test.each<[string, Handler, Surfaces?]>([
    ['only its chats answer', routes({ 'GET /api/v3/chat': json(200, []) }, page(404, 'no'))],
    [
      'a selected surface is not there',
      routes({ 'GET /api/v3/chat': json(200, {}) }, notFound),
      ['openai'],
    ],
    ['its list of models has another media type', routes({ [list]: text(200, '["a"]') }, notFound)],
    ['its lists fail', routes({ [completions]: json(200, {}) }, json(500, {}))],
    [
      'completions answer 404 for the model',
      routes({ [completions]: json(404, { error: 'no such model' }) }, notFound),
    ],
    [
      'one of its surfaces refuses the key',
      routes({ [list]: json(403, {}), 'GET /api/v3/chat': json(200, {}) }, notFound),
    ],
    ['it is busy at first', busyAtFirst(2)],
    ['it names no media type', (_, response) => response.end('{"data":[]}')],
  ])('%s', async (_, handler, surfaces) => {
    const { answers } = await met(handler, surfaces)
    expect(answers.size).toBe(surfaces?.length ?? 3)
  })

  test('all responses come from the reference server, with three requests', async () => {
    const server = ended(await startReferenceServer())
    expect(await preflightAt(server.url, { apiKey: server.keys[0] })).toMatchObject({ requests: 3 })
  })
})

describe('preflight fails with E_NO_SERVICE for', () => {
  test.each(
    Object.entries<[Handler, readonly string[]]>({
      'a page for everything': [
        page(200, 'Log in', { server: 'nginx/1.22.1' }),
        ['GET /api/openai/models: 200 text/html "Log in" (server: nginx/1.22.1)'],
      ],
      'another web server': [
        routes({ 'GET /': page(200, 'It works') }, page(404, 'Error response')),
        ['GET /api/v3/chat: 404 text/html "Error response"'],
      ],
      'another service that speaks JSON': [
        notFound,
        ['POST /api/v2/message: 404 application/json'],
      ],
      'a service that repeats the path in its 404': [
        (request, response) => json(404, { path: request.url, id: '6f1' })(request, response),
        ['404 application/json'],
      ],
      'a health check': [text(200, 'OK'), ['200 text/plain "OK"']],
      'a page without a title': [
        (_, response) =>
          response
            .writeHead(404, { 'content-type': 'text/html' })
            .end('<style>p{}</style><p>There is <b>nothing</b> at this address of ours'),
        ['404 text/html "There is nothing at this address of ours"'],
      ],
      'an empty 204': [
        (_, response) => response.writeHead(204).end(),
        ['GET /api/openai/models: 204'],
      ],
      'a redirect to a login page': [
        (_, response) =>
          response.writeHead(302, { location: 'https://login.example.org/?next=%2F' }).end(),
        ['GET /api/openai/models: 302 to https://login.example.org/?next=%2F'],
      ],
    }),
  )('%s', async (_, [handler, lines]) => {
    const { error } = await unmet(handler)
    expect(error.message).toMatch(/^no surface of the service answers at http:/)
    for (const line of lines) expect(error.message).toContain(line)
    expect(error.message).toContain('without /api')
  })

  test.each([301, 302, 307, 308])('a redirect with %i, and suggests its target', async (status) => {
    const headers: (string | undefined)[] = []
    const elsewhere = await listening((request, response) => {
      headers.push(request.headers.authorization)
      response.end('{}')
    })
    const { error } = await unmet((request, response) => {
      response.writeHead(status, { location: `${elsewhere.url}/llm${request.url}` }).end()
    })
    expect(error.message).toContain(`Did you mean ${elsewhere.url}/llm?`)
    expect(headers).toEqual([])
  })

  test('a TLS port that is used without TLS', async () => {
    const message = '400 The plain HTTP request was sent to HTTPS port'
    const { error, url } = await unmet(page(400, message))
    expect(error.message).toContain(`Did you mean ${url.replace('http:', 'https:')}?`)
  })

  test.each([
    ['/api', ''],
    ['/api/v3', ''],
    ['/api/openai/chat/completions', ''],
    ['/a/b/api/', '/a/b'],
    ['/llm/api/v3', '/llm'],
  ])('the service below %s, and suggests the base address', async (path, above) => {
    const server = ended(await startReferenceServer())
    const error = await failureOf(preflightAt(server.url + path, { apiKey: server.keys[0] }))
    expect(error).toMatchObject({ code: 'E_NO_SERVICE' })
    expect(error.message).toContain(`pass it without /api: ${server.url}${above}`)
  })
})

describe('preflight behind a gateway', () => {
  /** Refuses all of its own routes; the path is the one in its router. */
  const gateways: Readonly<Record<string, (path: string) => Handler>> = {
    'JSON 404': () => notFound,
    'JSON 404 with the path behind the prefix': (path) => json(404, { error: `No route ${path}` }),
    'JSON 404 with a proposal': (path) =>
      json(404, { detail: `Not Found. Similar routes: ${path.split('/').slice(-2).join(', ')}` }),
    'JSON 404 with a request id': () => json(404, { error: 'x', id: crypto.randomUUID() }),
    'HTML 404': () => page(404, 'Not Found'),
  }
  const addresses = ['/gw/chat/api', '/gw/chat/api/v3', '/gw/chat/api/openai', '/gw/chat/v1']

  const cases = Object.keys(gateways).flatMap((name) => addresses.map((path) => ({ name, path })))

  test.each(cases)('with $name suggests the base address for $path', async ({ name, path }) => {
    const gateway: Handler = (request, response) =>
      gateways[name]?.((request.url ?? '').replace('/gw/chat', ''))(request, response)
    const { error, url } = await unmet(gateway, path)
    const advice = path.includes('/api')
      ? `pass it without /api: ${url}/gw/chat`
      : 'The base address is the URL below which /api/openai, /api/v2 and /api/v3 are, without /api.'
    expect(error.message).toContain(advice)
  })

  test.each<[string, Handler, string]>([
    ['502', page(502, 'Bad Gateway'), 'fails on every route'],
    ['504 in JSON', json(504, { error: 'upstream' }), 'fails on every route'],
    ['500', page(500, 'oops'), 'fails on every route'],
    ['500 in JSON', json(500, { error: 'oops' }), 'fails on every route'],
    ['421', page(421, 'Misdirected Request'), 'does not know this host name, 127.0.0.1:'],
    ['421 in JSON', json(421, {}), 'does not know this host name, 127.0.0.1:'],
  ])('with %s for all requests explains it', async (_, handler, advice) => {
    for (const path of ['', ...addresses]) {
      const { error } = await unmet(handler, path)
      expect(error.message).toContain(advice)
      expect(error.message).not.toContain('without /api')
    }
  })

  test.each<[string, RouteTable]>([
    ['a list of models', { 'GET /gw/chat/api/openai/models': models }],
    ['completions', { 'POST /gw/chat/api/openai/chat/completions': json(400, {}) }],
    ['v2', { 'POST /gw/chat/api/v2/message': json(422, {}) }],
    ['v2 without the chat', { 'POST /gw/chat/api/v2/message': json(404, { no: 'chat' }) }],
    ['v3', { 'GET /gw/chat/api/v3/chat': json(200, []) }],
  ])('succeeds if the service has only %s', async (_, table) => {
    for (const refusal of [notFound, page(404, 'no'), json(404, { id: crypto.randomUUID() })]) {
      const { url } = await listening(routes(table, refusal))
      expect((await preflightAt(`${url}/gw/chat`)).answers.size).toBe(3)
    }
  })
})

test.each<[string, Handler]>([
  ['every surface refuses it', json(401, {})],
  ['the target answers 401 with a page', page(401, '401 Authorization Required')],
  ['the only surface refuses it', routes({ [list]: json(401, {}) }, notFound)],
])('preflight fails with E_KEY_REFUSED if %s', async (_, handler) => {
  const { error } = await unmet(handler, '', 'E_KEY_REFUSED')
  expect(error.message).toContain('refuses the key')
})

test.each([429, 503])(
  'preflight fails with E_BUSY if a target answers %i to everything',
  async (status) => {
    const { error, requests } = await unmet(json(status, {}, { 'retry-after': '0' }), '', 'E_BUSY')
    expect(error.message).toContain(`${list}: ${status} application/json {} (Retry-After: 0)`)
    expect(requests).toBeLessThan(20)
  },
)

test.each([
  ['timeoutMs', { timeoutMs: 400 }],
  ['runMs', { timeoutMs: 60_000, runMs: 1_500 }],
])(
  'preflight fails if a response never ends, after limits.%s',
  async (_, limits) => {
    const drips: Handler = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const dripping = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(dripping))
    }
    const error = await failureOf(met(drips, ['openai'], { limits }))
    expect(error).toMatchObject({ code: 'E_NO_SERVICE' })
    expect(error.message).toMatch(
      /GET \/api\/openai\/models: 200 text\/plain "\.+…?" that did not end in time/,
    )
  },
  60_000,
)

test('preflight errors quote the target without the key', async () => {
  const { error } = await unmet((request, response) => {
    const credential = request.headers.authorization ?? ''
    page(404, credential, { server: credential, location: `/?${credential}` })(request, response)
  })
  expect(error.message).toContain('[api key]')
  expect(error.message).not.toContain(key)
})

describe('a model of the profile', () => {
  const listed = json(200, { models: [{ slug: 'gpt-small' }, { slug: 'gpt-large' }] })
  const refusing = routes({ [list]: listed }, json(404, { error: 'no such model' }))
  const accepting = routes({ [list]: listed }, json(200, { choices: [] }))

  test('ends the run with the listed ids if it is neither listed nor accepted', async () => {
    const error = await failureOf(met(refusing, ['openai'], { models: { main: 'gpt-smal' } }))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toBe(
      'models.main: the target lists gpt-small, gpt-large, not gpt-smal, and refuses a completion with it (404)',
    )
  })

  test.each<[string, Handler, string, number]>([
    ['is listed', refusing, 'gpt-small', 1],
    ['is accepted but not listed', accepting, 'gpt-hidden', 2],
    ['is an alias of section 2.1', refusing, 'SVC-Main', 1],
  ])('is accepted if it %s', async (_, handler, main, requests) => {
    expect((await met(handler, ['openai'], { models: { main } })).requests).toBe(requests)
  })

  test.each([401, 429, 500, 503])('is not rejected because of a %i', async (status) => {
    const handler = routes({ [list]: listed }, json(status, {}))
    const hidden = { models: { main: 'gpt-hidden' } }
    expect((await met(handler, ['openai'], hidden)).requests).toBe(2)
  })
})

type Surfaces = readonly Surface[]

const key = 'sk-preflight-4711'

function preflightAt(baseUrl: string, more = {}, surfaces: Surfaces = allSurfaces) {
  const profile = profileOf({ baseUrl, apiKey: key, ...more })
  const identity = { profile, tag: 'chatgen-test', userAgent: 'chatgen-conformance/test' }
  return preflight(identity, surfaces)
}

async function met(handler: Handler, surfaces?: Surfaces, more = {}) {
  return preflightAt((await listening(handler)).url, more, surfaces)
}

async function unmet(handler: Handler, path = '', code = 'E_NO_SERVICE') {
  let requests = 0
  const { url } = await listening((request, response) => {
    requests += 1
    handler(request, response)
  })
  const error = await failureOf(preflightAt(url + path))
  expect(error).toBeInstanceOf(TargetUnusableError)
  expect(error).toMatchObject({ code })
  return { error, url, requests }
}

function failureOf(running: Promise<unknown>): Promise<Error> {
  return running.then(
    () => new Error('no error'),
    (thrown: Error) => thrown,
  )
}

/** Answers 429 to all three requests of the first `count` rounds, then normally. */
function busyAtFirst(count: number): Handler {
  let requestCount = 0
  return (request, response) => {
    requestCount += 1
    const busy = requestCount <= count * 3
    ;(busy ? json(429, {}, { 'retry-after': '0' }) : models)(request, response)
  }
}
