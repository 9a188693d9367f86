import { describe, expect, onTestFinished, test } from 'vitest'
import type { Header } from '../../../../contract/index.ts'
import { headOf, recordedClients, type Shape, shapes } from '../../../../fixtures/clients.ts'
import { openClient } from '../../../../scripts/clients/program.ts'
import { createNetworkTransport, type Outgoing } from '../../../client/index.ts'
import { startRawServer } from '../../../client/test-support/listen-on-loopback.ts'
import { profileOf } from '../../test-support/check.ts'
import { type Imitation, imitatedHead, imitatedJson, processOf } from './imitation.ts'
import { buildWireRequest, formStyleOf, type RequestSpec } from './wire-request.ts'

const text = 'é東🚀 <a> & "b" /'
const body = { model: 'm', messages: [{ role: 'user', content: text }], temperature: 0.5 }
const clientOf = (name: string) => ({ ...recordedClients[name], name }) as Imitation
const cases = Object.entries(recordedClients).flatMap(([name, { heads }]) =>
  shapes.flatMap((shape) => {
    const head = headOf(heads, shape)
    return head === undefined ? [] : [{ name, shape, head }]
  }),
)

/** Answers every request. */
async function startServer() {
  const ports: (number | undefined)[] = []
  const { url, heads, close } = await startRawServer((socket) => {
    ports.push(socket.remotePort)
    const isStream = heads.at(-1)?.includes('"stream":true')
    const [type, answer] = isStream ? ['event-stream', 'data: [DONE]\n\n'] : ['json', '{"data":[]}']
    const head = `Content-Type: text/${type}\r\nContent-Length: ${answer?.length}`
    socket.write(
      `HTTP/1.1 200 OK\r\n${head.replace('text/json', 'application/json')}\r\n\r\n${answer}`,
    )
  })
  const transport = createNetworkTransport()
  onTestFinished(async () => {
    await transport.close()
    await close()
  })
  const labels = { scenario: 'a', ordinal: 1, attempt: 0, role: 'act' } as const
  const send = (built: Pick<Outgoing, 'request' | 'client'>) =>
    transport.send({ id: 'x', labels, timeoutMs: 5_000, ...built }).exchange
  return { url, host: new URL(url).host, heads, ports, send }
}

/** The only request of a client, with its bytes. */
async function sendAs(
  { url, host, send }: Awaited<ReturnType<typeof startServer>>,
  { name, shape, path }: { readonly name: string; readonly shape: Shape; readonly path: string },
  json: string | null,
) {
  const client = clientOf(name)
  const bytes = json === null ? null : new TextEncoder().encode(json)
  const own: Header[] = shape === 'keyed' ? [['idempotency-key', 'idem']] : []
  const type = 'application/json'
  const values = { host, length: bytes?.length ?? 0, authorization: 'Bearer key', type }
  const headers = imitatedHead(client, shape, values, own)
  const method = shape === 'get' ? 'GET' : shape === 'delete' ? 'DELETE' : 'POST'
  await send({ request: { method, url: `${url}${path}`, headers, body: bytes }, client })
  return { method, values: { ...values, key: 'idem' } }
}

test.each(cases)('$name sends the recorded head of $shape', async ({ head, ...one }) => {
  const server = await startServer()
  const { method, values } = await sendAs(server, { ...one, path: '/a' }, null)
  const lines = Object.entries(values).reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, `${value}`),
    head.replaceAll('{host}', values.host).replaceAll('\n', '\r\n'),
  )
  expect(server.heads).toEqual([`${method} /a HTTP/1.1\r\n${lines}\r\n\r\n`])
})

const completions = '/api/openai/chat/completions'
test.each([
  ['openai-node', 'get', '/api/openai/models', undefined],
  ['openai-node', 'json', completions, body],
  ['openai-node', 'json', completions, { ...body, stream: true }],
  ['ai', 'json', completions, body],
  ['langchain', 'json', completions, body],
  ['fetch', 'get', '/get', undefined],
  ['fetch', 'delete', '/delete', undefined],
  ['fetch', 'json', '/json', body],
  ['fetch', 'keyed', '/keyed', body],
] as const)('%s is imitated byte for byte: %s', async (name, shape, path, json) => {
  const server = await startServer()
  const program = openClient(name, server.url, 'key')
  const method = { get: 'GET', delete: 'DELETE', json: 'POST', keyed: 'POST' }[shape]
  const key = shape === 'keyed' && { key: 'idem' }
  await program.send({ method, path, ...(json && { body: json }), ...key })
  await program.close()
  await sendAs(server, { name, shape, path }, json ? imitatedJson(clientOf(name), json) : null)
  expect(server.heads[1]).toBe(server.heads[0])
  expect(server.heads).toHaveLength(2)
})

test('imitatedJson formats JSON as the client does', () => {
  const compact = JSON.stringify(body)
  const spaced = compact
    .replace(/(?<=")([:,])|(?<=})(,)/g, '$1$2 ')
    .replace('é東🚀', '\\u00e9\\u6771\\ud83d\\ude80')
  expect(imitatedJson(clientOf('curl'), body)).toBe(compact)
  expect(imitatedJson(clientOf('go'), body)).toBe(
    compact.replace('<a> &', '\\u003ca\\u003e \\u0026'),
  )
  expect(imitatedJson(clientOf('python-requests'), body)).toBe(spaced.replace('}],"', '}], "'))
  const streamed = JSON.parse(imitatedJson(clientOf('openai-python'), { ...body, stream: true }))
  expect(Object.keys(streamed)).toEqual(['model', 'stream', 'messages', 'temperature'])
})

describe('the imitated client of a scenario', () => {
  const seeds = Array.from({ length: 200 }, (_, at) => `seed ${at}`)
  const setup = (imitationSeed: string, baseUrl = 'http://127.0.0.1:1') => {
    const profile = profileOf({ baseUrl, apiKey: 'key' })
    return { profile, tag: '', userAgent: '', imitationSeed }
  }
  const build = (seed: string, more: Partial<RequestSpec> = {}, baseUrl?: string, scenario = 'a') =>
    buildWireRequest(
      { surface: 'v3', method: 'GET', path: '/a', ...more },
      setup(seed, baseUrl),
      `${scenario}/1`,
    )
  const chat = { surface: 'openai', method: 'POST', json: body } as const
  const nameOf = ({ client }: ReturnType<typeof build>) => client?.name.split(' ')[1] ?? ''

  test('is one of at most three in a run, an SDK only for suitable requests', () => {
    const all = seeds.map((seed) => {
      const compatible = Array.from({ length: 20 }, (_, at) =>
        nameOf(build(seed, chat, undefined, `scenario-${at}`)),
      )
      const raw = { body: new Uint8Array(), contentType: 'application/json' }
      const surface = 'openai'
      for (const other of [{}, { surface, raw }, { surface, authorization: null }] as const) {
        expect(nameOf(build(seed, other))).not.toMatch(/openai|^ai$|langchain/)
      }
      expect(new Set(compatible).size).toBeLessThanOrEqual(3)
      return compatible
    })
    expect(new Set(all.flat())).toEqual(new Set(Object.keys(recordedClients)))
  })

  /** Marks that distinguished earlier certifications from users. */
  test('has no marks of an inexact imitation', () => {
    for (const seed of seeds) {
      const surface = seed.length % 2 === 0 ? 'openai' : 'v3'
      const { headers } = build(seed, { surface, method: 'POST', json: body }).request
      const names = headers.map(([name]) => name)
      const agent = headers.find(([name]) => /^user-agent$/i.test(name))?.[1] ?? ''
      expect(names.join()).not.toMatch(/x-request-id/i)
      expect(/openai/i.test(agent)).toBe(names.some((name) => name.startsWith('x-stainless-')))
      if (/^(curl|python-requests|okhttp|Go)/.test(agent)) expect(names).not.toContain('user-agent')
      expect(agent).not.toBe('Go-http-client/2.0')
    }
  })

  test('writes form data with its own boundary', () => {
    for (const seed of seeds) {
      const { boundary } = formStyleOf(setup(seed), 'a', 'text')
      const contentType = `multipart/form-data; boundary=${boundary}`
      const raw = { body: new Uint8Array(), contentType }
      const sample = recordedClients[nameOf(build(seed, { method: 'POST', raw }))]?.boundary
      expect(boundary.replace(/\w/g, 'x')).toBe(sample?.replace(/\w/g, 'x'))
      expect(boundary).not.toBe(sample)
    }
  })

  test('uses HTTP/1.1 over TLS unless it offers HTTP/2 with the same fields', () => {
    for (const seed of seeds) {
      const built = build(seed, {}, 'https://127.0.0.1:1')
      expect(['go', 'chromium']).not.toContain(nameOf(built))
      expect(built.protocol === undefined).toBe(['curl', 'okhttp'].includes(nameOf(built)))
    }
  })

  test('keeps connections per process, if the real client does', async () => {
    const { url, ports, send } = await startServer()
    const isKept = (seed: string) => build(seed).client?.keepsConnections === true
    const [keeper = ''] = seeds.filter(
      (seed) => isKept(seed) && processOf(seed, 'a') !== processOf(seed, 'b'),
    )
    const other = seeds.find((seed) => build(seed).client?.keepsConnections === false) ?? ''
    for (const seed of [keeper, keeper, other, other]) await send(build(seed, {}, url))
    await send(build(keeper, {}, url, 'b'))
    expect(ports[0]).toBe(ports[1])
    expect(new Set(ports).size).toBe(4)
  })
})
