import { afterEach, expect, test } from 'vitest'
import { type ReferenceServer, startReferenceServer } from '../index.ts'
import { parseEngine } from './engine.ts'

let server: ReferenceServer
afterEach(() => server.close())

const key = 'sk-engine-0123456789'

async function serve(engine: string): Promise<void> {
  server = await startReferenceServer({
    keys: [key],
    engine: parseEngine(engine),
    // A client may have opened a connection that it does not use.
    closeDeadlineMs: 500,
  })
}

function ask(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
}

const chat = (stream: boolean, tokens = 8) => ({
  model: 'svc-main-model',
  stream,
  messages: [{ role: 'user', content: `[[tokens=${tokens}]]` }],
})
const completions = '/api/openai/chat/completions'

test('streams and bodies are whole on every surface', async () => {
  await serve('max-num-seqs=2,prefill=0,decode=1ms,decode-per-seq=0')
  const answers = await Promise.all([
    ask(completions, chat(true)).then((answer) => answer.text()),
    ask(completions, chat(true)).then((answer) => answer.text()),
    ask(completions, chat(false)).then((answer) => answer.text()),
    ask('/api/v3/message/one-shot', {
      model_id: 'svc-main-model',
      assistant_id: null,
      input: 'Describe a harbour at night.',
      stream: true,
    }).then((answer) => answer.text()),
  ])
  expect(answers[0]).toContain('[DONE]')
  expect(answers[1]).toContain('[DONE]')
  expect(JSON.parse(answers[2] ?? '')).toMatchObject({ object: 'chat.completion' })
  expect(answers[3]).toContain('event: response.completed')
})

test('a request beyond the queue is refused with Retry-After, and one later is served', async () => {
  await serve('max-num-seqs=1,max-waiting=1,prefill=0,decode=60ms,decode-per-seq=0')
  const answers = await Promise.all([1, 2, 3, 4].map(() => ask(completions, chat(false))))
  const statuses = answers.map(({ status }) => status).toSorted()
  expect(statuses).toEqual([200, 200, 503, 503])
  const refused = answers.find(({ status }) => status === 503)
  expect(refused?.headers.get('retry-after')).toBe('1')
  expect(await refused?.json()).toMatchObject({ error: { code: 'engine_overloaded' } })
  expect((await ask(completions, chat(false))).status).toBe(200)
})

test('a client that leaves makes room', async () => {
  await serve('max-num-seqs=1,max-waiting=0,prefill=0,decode=150ms,decode-per-seq=0')
  const leaving = new AbortController()
  const left = await ask(completions, chat(true, 400), leaving.signal)
  expect((await ask(completions, chat(false))).status).toBe(503)
  const body = left.text().catch(() => 'aborted')
  leaving.abort()
  expect(await body).toBe('aborted')
  await expect.poll(async () => (await ask(completions, chat(false, 1))).status).toBe(200)
})
