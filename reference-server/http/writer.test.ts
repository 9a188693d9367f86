import { expect, it } from 'vitest'
import {
  completion,
  completionsPath,
  countingIds,
  exchangeBytes,
  type TestServer,
  testServer,
} from '../test-support/server.ts'

const completionText = (header: string, version?: string) =>
  requestText(completionsPath, completion('[[say=one two three]]'), header, version)

it('writes pipelined streams one after the other', async () => {
  const server = await testServer({ pace: { ttftMs: 5, gapMs: 1, jitter: 0 } })
  const text = await exchange(server, completionText('') + completionText('connection: close\r\n'))
  const answers = text.split(/(?=HTTP\/1\.1 200)/)
  expect(answers).toHaveLength(2)
  for (const answer of answers) expect(answer).toMatch(/data: \[DONE\]\n\n\r\n0\r\n\r\n$/)
})

it('uses no chunked encoding for HTTP/1.0', async () => {
  const server = await testServer()
  const text = await exchange(server, completionText('', '1.0'))
  expect(text).toMatch(/\r\n\r\ndata: \{.*\}\n\n/)
  expect(text).toMatch(/\n\ndata: \[DONE\]\n\n$/)
})

it('writes each event in its own chunk at any pace', async () => {
  for (const gapMs of [0, 3]) {
    const server = await testServer({ pace: { ttftMs: 0, gapMs, jitter: 0 } })
    const text = await exchange(server, completionText('connection: close\r\n'))
    const chunks = text.match(/^[0-9a-f]+\r\ndata: .*\n\n\r$/gm)
    expect(chunks).toHaveLength(6)
  }
})

it('sends all events before a stream breaks', async () => {
  const errors: unknown[] = []
  const server = await testServer({
    onInternalError: (error) => errors.push(error),
    patch: (services) => ({
      ...services,
      encode: (block) => {
        if (block.data === '[DONE]') throw new RangeError('broken')
        return services.encode(block)
      },
    }),
  })
  const text = await exchange(server, completionText(''))
  expect(text.match(/^data: .*$/gm)).toHaveLength(5)
  expect(text).not.toMatch(/\r\n0\r\n\r\n$/)
  expect(errors).toEqual([new RangeError('broken')])
})

const oneShot = (stream: boolean) => ({ model_id: 'SVC-Main', input: '[[tokens=5]]', stream })
const requests = [
  [completionsPath, completion('[[tokens=5]]')],
  [completionsPath, completion('[[tokens=5]]', false)],
  ['/api/v3/message/one-shot', oneShot(true)],
  ['/api/v3/message/one-shot', oneShot(false)],
  ['/api/v3/message/one-shot', {}],
] as const

it.each(requests)(
  'adds timestamps on request, and changes nothing else: %s %j',
  async (path, body) => {
    const plain = await rawAnswer(path, body, '')
    expect(await rawAnswer(path, body, 'x-chatgen-stamps: 0\r\n')).toEqual(plain)
    const began = process.hrtime.bigint()
    const stamped = await rawAnswer(path, body, 'x-chatgen-stamps: 1\r\n')
    const ended = process.hrtime.bigint()
    const stamps = [...stamped.matchAll(/^(?:: sent|x-chatgen-\w+:) (\d+)/gm)].map(([, ns = '']) =>
      BigInt(ns),
    )
    const times = [began, ...stamps, ended]
    expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : 1)))
    const events = plain.match(/^data: /gm) ?? []
    expect(stamps).toHaveLength(events.length > 0 ? events.length + 1 : 2)
    const without = stamped
      .replaceAll(/^: sent \d+\n/gm, '')
      .replaceAll(/^x-chatgen-\w+: \d+\r\n/gm, '')
    expect(unframed(without)).toBe(unframed(plain))
  },
)

it('writes timestamp and event in one chunk', async () => {
  const text = await rawAnswer(...requests[0], 'x-chatgen-stamps: 1\r\n')
  const events = chunksOf(text.slice(text.indexOf('\r\n\r\n') + 4))
  expect(events).toHaveLength(8)
  for (const event of events) expect(event).toMatch(/^: sent \d+\ndata: \S.*\n\n$/)
})

function chunksOf(body: string): string[] {
  const size = Number.parseInt(body, 16)
  const from = body.indexOf('\r\n') + 2
  return size > 0 ? [body.slice(from, from + size), ...chunksOf(body.slice(from + size + 2))] : []
}

/** Head and body, without the Date header, of answers that differ by their timestamps alone. */
async function rawAnswer(path: string, body: object, header: string): Promise<string> {
  const clock = { now: () => 1_700_000_000_000, sleep: async () => {} }
  const server = await testServer({ keys: ['key'], clock, ids: countingIds() })
  const text = await exchange(server, requestText(path, body, `connection: close\r\n${header}`))
  return text.replace(/^Date: .*\r\n/im, '')
}

function requestText(path: string, body: object, header: string, version = '1.1'): string {
  const json = JSON.stringify(body)
  return [
    `POST ${path} HTTP/${version}`,
    'host: x',
    'content-type: application/json',
    `content-length: ${json.length}`,
    `authorization: Bearer KEY\r\n${header}`,
    json,
  ].join('\r\n')
}

const exchange = (server: TestServer, sent: string) =>
  exchangeBytes(server, sent.replaceAll('Bearer KEY', `Bearer ${server.keys[0]}`))

/** Chunk sizes depend on the content. */
function unframed(text: string): string {
  return text.replaceAll(/(\r\n)[0-9a-f]+\r\n/g, '$1')
}

it('keeps its own pages unchanged by deviations', async () => {
  const server = await testServer({
    patch: (services) => ({ ...services, outgoing: (_, reply) => ({ ...reply, status: 418 }) }),
  })
  const statusOf = async (path: string) => (await fetch(`${server.url}${path}`)).status
  expect(await statusOf('/docs')).toBe(200)
  expect(await statusOf('/api/openai/models')).toBe(418)
})
