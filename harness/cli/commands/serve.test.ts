import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ask, chatsOn, newChat, serving, start, workplace } from '../test-support/chatgen.ts'

const shell = promisify(execFile)

describe('the banner', () => {
  test.each([
    ['a generated key', '', {}],
    ['a given key', '--key test-key', { CHATGEN_API_KEY: 'test-key' }],
  ])('has a working curl line with %s', async (_, flags, env) => {
    const { run } = await serving(flags)
    const line = /^curl (.*\\\n)*.*$/m.exec(run.soFar())?.[0] ?? ''
    const { stdout } = await shell('bash', ['-c', line], {
      env: { PATH: process.env['PATH'], ...env },
    })
    expect(stdout).toContain('"object":"chat.completion.chunk"')
    expect(stdout).toMatch(/data: \[DONE\]\s*$/)
  })

  test('lists the reference page, models, faults and source of answers', async () => {
    const deviating = '--fault stream-status-201 --dialect line-ends-crlf --seed 7'
    const { run, url } = await serving(
      `--key one-key --key other-key --cors http://localhost:5173 ${deviating}`,
    )
    const banner = run.soFar().replaceAll(url, 'URL').split('\n\n')[0]
    expect(banner).toMatchInlineSnapshot(`
      "Listening on URL
      Reference: URL/docs
      Models:    SVC-Vision, svc-main-model (SVC-Main)
      Answers:   the fake model, seed 7
      Faults:    stream-status-201
      Dialects:  line-ends-crlf
      Browsers:  pages of http://localhost:5173
      API key:   as given with --key (2 keys, each is a user)"
    `)
    expect(run.soFar()).not.toMatch(/one-key|other-key/)
    expect((await fetch(`${url}/docs`)).status).toBe(200)
    expect((await fetch(`${url}/metrics`)).status).toBe(200)
  })
})

test('--store keeps chats of a key after the server is killed', async () => {
  const store = `sqlite:${workplace().at('chats.sqlite')}`
  const before = await serving(`--key other-key --key test-key --store ${store}`)
  await newChat(before.url, 'test-key', 'Kept')
  before.run.child.kill('SIGKILL')
  await before.run.ended
  const after = await serving(`--key test-key --store ${store}`)
  expect(after.run.soFar()).toContain(`Store:     ${store}`)
  expect(await chatsOn(after.url, 'test-key')).toEqual(['Kept'])
})

test('--log json prints only JSON lines to standard output', async () => {
  const run = start('serve --port 0 --key test-key --log json')
  await run.stderr.until((text) => text.includes('curl '))
  const url = /Listening on (\S+)/.exec(run.stderr.text)?.[1] ?? ''
  await ask(url, 'Hello')
  await ask(url, 'Hello', 'wrong-key')
  run.child.kill('SIGTERM')
  const { stdout, code } = await run.ended
  const lines = stdout.trim().split('\n')
  const statuses = lines.map((line) => JSON.parse(line)['http.response.status_code'])
  expect(statuses).toEqual([200, 401])
  expect(stdout).not.toMatch(/test-key|wrong-key/)
  expect(code).toBe(0)
})

describe('a script', () => {
  test('answers its questions, and the fake model all others', async () => {
    const script = 'answers: [{ match: { text: weather }, answer: It is sunny. }]'
    const { folder } = workplace({}, { 'answers.yaml': script })
    const { run, url } = await serving('--key test-key --script answers.yaml', folder)
    expect(run.soFar()).toContain('Answers:   answers.yaml, then the fake model, seed 1')
    expect(await ask(url, 'How is the weather?')).toEqual({ status: 200, text: 'It is sunny.' })
    expect((await ask(url, '[[say=no]]')).text).toBe('no')
  })

  test('of --record gives the same answers with --replay, and no others', async () => {
    const { folder, read } = workplace()
    const recording = await serving('--key test-key --record kept.yaml --seed 9', folder)
    const questions = ['Hello', 'Who are you?', '[[error=503]]', 'Hello']
    const first = []
    for (const question of questions) first.push(await ask(recording.url, question))
    expect(read('kept.yaml').split('\n')).toHaveLength(6)
    const { run, url } = await serving('--key test-key --replay kept.yaml', folder)
    expect(run.soFar()).toContain('Answers:   kept.yaml\n')
    for (const [index, question] of questions.entries()) {
      expect(await ask(url, question)).toEqual(first[index])
    }
    expect((await ask(url, 'Something else')).status).toBe(501)
  })
})
