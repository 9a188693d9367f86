import { describe, expect, onTestFinished, test } from 'vitest'
import { postgresPrograms, startPostgres } from '../../../reference-server/test-support/postgres.ts'
import { serving } from '../test-support/chatgen.ts'

const missing = postgresPrograms() === undefined ? 'PostgreSQL is not installed' : ''

describe.skipIf(missing !== '')(`serve --store postgres://… ${missing}`, () => {
  test('the key of a replica that is killed in mid-run is free after its lease', async () => {
    const postgres = await startPostgres(['fsync=off'])
    onTestFinished(() => postgres.remove())
    const store = await postgres.createDatabase('chats')
    const killed = await replica(store)
    const other = await replica(store)
    const created = await send(killed.url, '/api/v3/chat', { name: 'A chat' })
    const { id: chat_id } = JSON.parse(created.text)
    const turn = { chat_id, model_id: 'SVC-Main', input: '[[tokens=30]] [[pace=gap=1s]]' }
    // The response has begun, so this request holds the key, not one to the other replica.
    const stream = await request(killed.url, generate, { ...turn, stream: true })
    await expect.poll(async () => (await send(other.url, generate, turn)).status).toBe(422)
    killed.run.child.kill('SIGKILL')
    await expect(stream.text()).rejects.toThrow()
    const short = { ...turn, input: 'Hi' }
    await expect
      .poll(async () => (await send(other.url, generate, short)).status, { timeout: 60_000 })
      .toBe(200)
    const history = await send(other.url, `/api/v3/message?chat_id=${chat_id}`)
    expect(JSON.parse(history.text).result).toHaveLength(2)
  })
})

const generate = '/api/v3/message/generate'

function replica(store: string) {
  return serving(`--key test-key --store ${store} --lease 5s`)
}

async function send(url: string, path: string, body?: object) {
  const response = await request(url, path, body)
  return { status: response.status, text: await response.text() }
}

function request(url: string, path: string, body?: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    headers: {
      authorization: 'Bearer test-key',
      'content-type': 'application/json',
      'idempotency-key': 'k',
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
}
