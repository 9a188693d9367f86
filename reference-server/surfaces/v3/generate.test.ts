import { expect, it } from 'vitest'
import { type TestServer, testServer } from '../../test-support/server.ts'

const textOf = ({ output }: { output: { content?: { text?: string }[] }[] }) =>
  output.flatMap(({ content }) => content?.map(({ text }) => text ?? '') ?? []).join('')

const historyOf = async (server: TestServer, chat_id: string) =>
  (await server.send('GET', `/api/v3/message?limit=200&chat_id=${chat_id}`)).json.result

it('fails before the first event with an ordinary error, and leaves nothing behind', async () => {
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

it('generates a title out of what was said, and takes it for the name', async () => {
  const server = await testServer()
  const id = await server.newChat('Untitled')
  const path = `/api/v3/chat/${id}/generate-name`
  expect((await server.send('POST', path)).json.name).toBe('An empty chat')
  await server.generate({ chat_id: id, input: '¿Where do storm petrels nest in a cold spring?' })
  const { status, json } = await server.send('POST', path, { body: {} })
  expect([status, json.name]).toEqual([200, 'About: Where do storm petrels nest in…'])
  expect((await server.send('GET', `/api/v3/chat/${id}`)).json.name).toBe(json.name)
})

it('takes no cursor of another list, and none that it did not make', async () => {
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

it('knows what runs tell, in all their forms, and nothing else', async () => {
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
