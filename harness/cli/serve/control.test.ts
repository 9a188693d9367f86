import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ask, chatsOn, newChat, serving, workplace } from '../test-support/chatgen.ts'

const shell = promisify(execFile)

function serve(flags = '') {
  return serving(`--key test-key --control 0 ${flags}`)
}

async function requests(control: string, query = '') {
  return JSON.parse(await (await fetch(`${control}/requests${query}`)).text()).requests
}

test('documented commands of the control API work', async () => {
  const { url, control } = await serve()
  const page = readFileSync(new URL('../../../docs/client-development.md', import.meta.url), 'utf8')
  const lines = /control: these.*?```sh\n(.*?)```/s.exec(page)?.[1] ?? ''
  const script = lines
    .replaceAll('http://127.0.0.1:4010', url)
    .replaceAll('http://127.0.0.1:4011', control)
    .replaceAll('curl ', 'curl -sS --fail-with-body ')
    .replace('"probability": 0.5', '"probability": 0')
  const { stdout } = await shell('bash', ['-ec', script])
  const [completion = '', list = ''] = stdout.split(/(?<=\})(?=\{"requests")/)
  expect(JSON.parse(completion).choices[0].message.content).toBe('Hi!')
  expect(JSON.parse(list).requests).toMatchObject([
    {
      method: 'POST',
      path: '/api/openai/chat/completions',
      headers: { authorization: '[redacted]' },
      caller: 'caller-1',
      body: { model: 'SVC-Main' },
      status: 200,
      aborted: false,
    },
  ])
  expect(await requests(control)).toEqual([])
  expect(await ask(url, '[[say=from the model]]')).toMatchObject({ text: 'from the model' })
})

test('reset deletes chats and answers, and restores the script of the flags', async () => {
  const { at } = workplace({}, { 'answers.yaml': 'answers: [{ answer: from the file }]' })
  const { url, control } = await serve(`--script ${at('answers.yaml')}`)
  await newChat(url, 'test-key', 'A chat')
  await fetch(`${control}/answers`, { method: 'PUT', body: 'answers: [{ answer: set }]' })
  expect(await ask(url, 'Hi')).toMatchObject({ text: 'set' })
  expect((await fetch(`${control}/reset`, { method: 'POST' })).status).toBe(204)
  expect(await ask(url, 'Hi')).toMatchObject({ text: 'from the file' })
  expect(await chatsOn(url, 'test-key')).toEqual([])
  const mistyped = { method: 'PUT', body: 'answers:\n  - anser: x' }
  const refused = await fetch(`${control}/answers`, mistyped)
  expect(refused.status).toBe(400)
  expect(await refused.text()).toMatch(/answers:2.*anser: there is no such field/)
})

test('requests lists open and aborted requests', async () => {
  const { url, control } = await serve()
  const client = new AbortController()
  const open = ask(url, '[[stall=0]]', 'test-key', client.signal).catch(() => {})
  await expect.poll(() => requests(control)).toMatchObject([{ status: null, aborted: false }])
  client.abort()
  await open
  await expect.poll(() => requests(control)).toMatchObject([{ aborted: true }])
  expect(await requests(control, '?method=GET')).toEqual([])
})

test.each([
  ['a page', { origin: 'http://evil.example' }],
  ['another host name', { host: 'evil.example' }],
])('control API rejects %s', async (_, headers) => {
  const { control } = await serve()
  const status = await new Promise((resolve, reject) => {
    const sent = request(`${control}/reset`, { method: 'POST', headers }, (response) => {
      resolve(response.resume().statusCode)
    })
    sent.on('error', reject).end()
  })
  expect(status).toBe(403)
})

test('a changed script is reloaded, and a mistyped directive is named', async () => {
  const { at, write } = workplace()
  const script = (answer: string) =>
    write('answers.yaml', `answers: [{ match: { text: hello }, ${answer} }]`)
  script('answer: first')
  const { run, url } = await serve(`--script ${at('answers.yaml')}`)
  const notices = run.stderr
  expect(await ask(url, 'hello')).toMatchObject({ text: 'first' })
  script('answer: the second')
  await expect
    .poll(() => ask(url, 'hello'), { timeout: 10_000 })
    .toMatchObject({ text: 'the second' })
  script('anser: third')
  await notices.until((text) => text.includes('anser: there is no such field'))
  expect(notices.text).toContain('The earlier answers remain in use')
  expect(await ask(url, 'hello')).toMatchObject({ text: 'the second' })
  await ask(url, '[[tokns=3]] [[wiki]]')
  await ask(url, '[[tokns=3]]')
  const named = 'not a directive, so it stays in the prompt: [[tokns=3]]'
  await notices.until((text) => text.includes(named))
  expect(notices.text.match(/not a directive/g)).toHaveLength(1)
})
