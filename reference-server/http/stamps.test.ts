import { connect } from 'node:net'
import { expect, it } from 'vitest'
import type { ReferenceServerOptions } from '../index.ts'
import { countingIds, type TestServer, testServer } from '../test-support/server.ts'

const completion = (stream: boolean) => ({
  model: 'SVC-Main',
  messages: [{ role: 'user', content: '[[tokens=5]]' }],
  stream,
})
const oneShot = (stream: boolean) => ({ model_id: 'SVC-Main', input: '[[tokens=5]]', stream })
const requests = [
  ['/api/openai/chat/completions', completion(true)],
  ['/api/openai/chat/completions', completion(false)],
  ['/api/v3/message/one-shot', oneShot(true)],
  ['/api/v3/message/one-shot', oneShot(false)],
  ['/api/v3/message/one-shot', {}],
] as const

/** Answers are deterministic, so that differences come from the stamps. */
function predictable(): ReferenceServerOptions {
  return {
    keys: ['key'],
    clock: { now: () => 1_700_000_000_000, sleep: async () => {} },
    ids: countingIds(),
  }
}

it('leaves every byte as it is unless it is asked for', async () => {
  const unaware = await testServer({
    ...predictable(),
    patch: (services) => ({
      ...services,
      bytes: (_call, chunks) => chunks,
      outgoing: (_, reply) => reply,
    }),
  })
  const server = await testServer(predictable())
  for (const [path, body] of requests) {
    const before = await rawAnswer(unaware, path, body, '')
    expect(before).toContain('\r\n\r\n')
    expect(await rawAnswer(server, path, body, '')).toEqual(before)
  }
  const [path, body] = requests[0]
  const before = await rawAnswer(unaware, path, body, '')
  expect(await rawAnswer(server, path, body, 'x-chatgen-stamps: 0\r\n')).toEqual(before)
})

it.each(requests)('adds stamps and nothing else: %s %j', async (path, body) => {
  const header = 'x-chatgen-stamps: 1\r\n'
  const plain = await rawAnswer(await testServer(predictable()), path, body, '')
  const began = process.hrtime.bigint()
  const stamped = await rawAnswer(await testServer(predictable()), path, body, header)
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
})

it('writes stamp and event in one chunk', async () => {
  const [path, body] = requests[0]
  const text = await rawAnswer(
    await testServer(predictable()),
    path,
    body,
    'x-chatgen-stamps: 1\r\n',
  )
  const events = chunksOf(text.slice(text.indexOf('\r\n\r\n') + 4))
  expect(events).toHaveLength(8)
  for (const event of events) expect(event).toMatch(/^: sent \d+\ndata: \S.*\n\n$/)
})

function chunksOf(body: string): string[] {
  const size = Number.parseInt(body, 16)
  const from = body.indexOf('\r\n') + 2
  return size > 0 ? [body.slice(from, from + size), ...chunksOf(body.slice(from + size + 2))] : []
}

/** Head and body as received, without the Date header. */
function rawAnswer(
  server: TestServer,
  path: string,
  body: object,
  header: string,
): Promise<string> {
  const json = JSON.stringify(body)
  const { hostname, port } = new URL(server.url)
  const request = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer key\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\nconnection: close\r\n${header}\r\n${json}`
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request))
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(text.replace(/^Date: .*\r\n/im, '')))
    socket.on('error', reject)
  })
}

/** Chunk sizes depend on the content. */
function unframed(text: string): string {
  return text.replaceAll(/(\r\n)[0-9a-f]+\r\n/g, '$1')
}
