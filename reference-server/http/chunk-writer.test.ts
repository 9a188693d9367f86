import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { type TestServer, testServer } from '../test-support/server.ts'

const body = JSON.stringify({
  model: 'SVC-Main',
  messages: [{ role: 'user', content: '[[say=one two three]]' }],
  stream: true,
})

it('writes streams one after the other to a client that asks for several at once', async () => {
  const server = await testServer({ pace: { ttftMs: 5, gapMs: 1, jitter: 0 } })
  const text = await exchange(server, request('1.1', '') + request('1.1', 'connection: close\r\n'))
  const answers = text.split(/(?=HTTP\/1\.1 200)/)
  expect(answers).toHaveLength(2)
  for (const answer of answers) expect(answer).toMatch(/data: \[DONE\]\n\n\r\n0\r\n\r\n$/)
})

it('frames nothing for a client that knows no chunks', async () => {
  const server = await testServer()
  const text = await exchange(server, request('1.0', ''))
  expect(text).toMatch(/\r\n\r\ndata: \{.*\}\n\n/)
  expect(text).toMatch(/\n\ndata: \[DONE\]\n\n$/)
})

it('writes each event by itself, whatever the pace', async () => {
  for (const gapMs of [0, 3]) {
    const server = await testServer({ pace: { ttftMs: 0, gapMs, jitter: 0 } })
    const text = await exchange(server, request('1.1', 'connection: close\r\n'))
    const chunks = text.match(/^[0-9a-f]+\r\ndata: .*\n\n\r$/gm)
    expect(chunks).toHaveLength(6)
  }
})

it('has sent what came before a stream broke off', async () => {
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
  const text = await exchange(server, request('1.1', ''))
  expect(text.match(/^data: .*$/gm)).toHaveLength(5)
  expect(text).not.toMatch(/\r\n0\r\n\r\n$/)
  expect(errors).toEqual([new RangeError('broken')])
})

function request(version: string, header: string): string {
  return [
    `POST /api/openai/chat/completions HTTP/${version}`,
    'host: x',
    'content-type: application/json',
    `content-length: ${body.length}`,
    `authorization: Bearer key\r\n${header}`,
    body,
  ].join('\r\n')
}

function exchange(server: TestServer, sent: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(sent.replaceAll('Bearer key', `Bearer ${server.keys[0]}`)),
    )
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}
