import { describe, expect, it } from 'vitest'
import { answerScript } from '../../model/script/answer-script.ts'
import { type TestServer, testServer } from '../../test-support/server.ts'

const textOf = ({ output }: { output: { content?: { text?: string }[] }[] }) =>
  output.flatMap(({ content }) => content?.map(({ text }) => text ?? '') ?? []).join('')

const historyOf = async (server: TestServer, chat_id: string) =>
  (await server.send('GET', `/api/v3/message?limit=200&chat_id=${chat_id}`)).json.result

it('an error before the first event has its status and leaves nothing behind', async () => {
  const server = await testServer()
  const chat_id = await server.newChat()
  const key = { 'idempotency-key': 'again' }
  const failed = await server.generate({ chat_id, input: '[[error=503]]', stream: true }, key)
  expect([failed.status, failed.headers.get('content-type')]).toEqual([
    503,
    'application/problem+json',
  ])
  expect(await historyOf(server, chat_id)).toEqual([])
  expect((await server.generate({ chat_id, input: 'Hi' }, key)).status).toBe(200)
})

it('generate-name derives a title from the conversation and stores it', async () => {
  const server = await testServer()
  const id = await server.newChat('Untitled')
  const path = `/api/v3/chat/${id}/generate-name`
  expect((await server.send('POST', path)).json.name).toBe('An empty chat')
  await server.generate({ chat_id: id, input: '¿Where do storm petrels nest in a cold spring?' })
  const { status, json } = await server.send('POST', path, { body: {} })
  expect([status, json.name]).toEqual([200, 'About: Where do storm petrels nest in…'])
  expect((await server.send('GET', `/api/v3/chat/${id}`)).json.name).toBe(json.name)
})

it('a cursor of another list or a forged one is rejected', async () => {
  const server = await testServer()
  const [one, other] = [await server.newChat(), await server.newChat()]
  await server.generate({
    chat_id: one,
    input: Array.from({ length: 5 }, () => ({ role: 'user', content: 'Hi' })),
  })
  const { json } = await server.send('GET', `/api/v3/message?chat_id=${one}&limit=1`)
  const forged = Buffer.from(JSON.stringify([`history ${other}`, -4])).toString('base64url')
  for (const cursor of [json.pagination.cursor, forged, 'x', '', '%00']) {
    const answer = await server.send('GET', `/api/v3/message?chat_id=${other}&cursor=${cursor}`)
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_cursor'])
  }
})

it('runs in all forms give the model their content', async () => {
  const server = await testServer()
  const ask = async (runs?: object[]) =>
    textOf((await server.oneShot({ input: 'What is my name?', runs })).json)
  const statement = { role: 'user', content: [{ type: 'input_text', text: 'My name is Q7-x.' }] }
  const earlier = await server.oneShot({ input: 'My name is Q7-x.' })
  const introduction = [
    [{ id: 'r1', input: 'My name is Q7-x.', output: earlier.json.output }],
    [{ id: 'r1', input: [statement], output: [] }],
    [{ id: 'r1', output: [statement] }],
    [{ id: 'r1', output: 'I see, your name is Q7-x.' }],
    [{ input: 'My name is Q7-x.' }, { ...earlier.json }],
  ]
  for (const runs of introduction) expect(await ask(runs)).toBe('Your name is Q7-x.')
  expect(await ask()).not.toContain('Q7-x')
  expect(await ask([])).not.toContain('Q7-x')
})

const rowCount = async (server: TestServer, chat_id: string): Promise<number> =>
  (await server.send('GET', `/api/v3/message?chat_id=${chat_id}`)).json.result.length

const key = (value: string) => ({ 'idempotency-key': value })

it('an Idempotency-Key may be any string, quoted or not', async () => {
  const server = await testServer()
  const chat_id = await server.newChat()
  const first = await server.generate({ chat_id, input: 'Hi' }, key('"turn 1/ä"'))
  const again = await server.generate({ chat_id, input: 'Hi' }, key('turn 1/ä'))
  expect(again.json).toEqual(first.json)
})

describe('a repeat', () => {
  it('replays a failed or cut answer', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    for (const input of ['[[fail=3]]', '[[tokens=9]]']) {
      const body = { chat_id, input, max_tokens: 5, stream: true }
      const first = await server.generate(body, key(input))
      expect((await server.generate(body, key(input))).text).toBe(first.text)
    }
    expect(await rowCount(server, chat_id)).toBe(4)
  })

  it('is recognized in any order of fields', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    const first = await server.generate({ chat_id, input: 'Hi', think: false }, key('k'))
    const again = await server.generate({ think: false, input: 'Hi', chat_id }, key('k'))
    expect(again.json).toEqual(first.json)
  })

  it('with another payload is rejected with 422', async () => {
    const server = await testServer()
    const [chat_id, other] = [await server.newChat(), await server.newChat()]
    await server.generate({ chat_id, input: 'Hi' }, key('k'))
    const changes = [{ input: 'Ho' }, { stream: true }, { chat_id: other }, { think: true }]
    for (const change of changes) {
      const { status, json } = await server.generate({ chat_id, input: 'Hi', ...change }, key('k'))
      expect([status, json.error.code]).toEqual([422, 'idempotency_key_reused'])
    }
    expect([await rowCount(server, chat_id), await rowCount(server, other)]).toEqual([2, 0])
  })

  it('of a rejected request is a first request', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    expect((await server.generate({ chat_id, input: 5 }, key('k'))).status).toBe(400)
    expect((await server.generate({ chat_id, input: 'Hi', model_id: 'x' }, key('k'))).status).toBe(
      404,
    )
    expect((await server.generate({ chat_id, input: 'Hi' }, key('k'))).status).toBe(200)
  })
})

describe('a repeat during the first request', () => {
  it.each([false, true])(
    'is rejected with 409, and replayed later (stream: %j)',
    async (stream) => {
      const gate = Promise.withResolvers<void>()
      const clock = { now: Date.now, sleep: () => gate.promise }
      const server = await testServer({ clock })
      const chat_id = await server.newChat()
      const body = { chat_id, input: '[[tokens=5]] [[pace=ttft=150ms]]', stream }
      const first = server.generate(body, key('k'))
      await expect.poll(() => server.services.runs.size).toBe(1)
      const early = await server.generate(body, key('k'))
      expect([early.status, early.headers.get('retry-after')]).toEqual([409, '1'])
      expect((await server.generate({ ...body, input: 'x' }, key('k'))).status).toBe(422)
      gate.resolve()
      const { text } = await first
      expect((await server.generate(body, key('k'))).text).toBe(text)
      expect(await rowCount(server, chat_id)).toBe(2)
    },
  )

  it('waits for the answer with runningRepeat: wait', async () => {
    const server = await testServer({ runningRepeat: 'wait' })
    const chat_id = await server.newChat()
    const body = { chat_id, input: '[[tokens=5]] [[pace=ttft=150ms]]' }
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => server.generate(body, key('k'))),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await rowCount(server, chat_id)).toBe(2)
  })
})

it('a script answers after the call of a client tool', async () => {
  const answers = [
    { match: { turn: 1 }, tool_calls: [{ name: 'weather', arguments: { city: 'Oslo' } }] },
    { match: { turn: 2 }, answer: 'It is sunny.' },
  ]
  const server = await testServer({ script: answerScript.parse({ answers }) })
  const chat_id = await server.newChat()
  const { json } = await server.generate({ chat_id, input: 'How is the weather?' })
  const call = json.output.find(({ type }: { type: string }) => type === 'function_call')
  const output = { type: 'function_call_output', call_id: call.call_id, output: '21 degrees' }
  const after = await server.generate({ chat_id, input: [output] })
  expect(textOf(after.json)).toBe('It is sunny.')
})
