/** A conversation with every route group of a server, in raw bytes, with clock and ids that count. */
import { connect } from 'node:net'
import { type Patch, type ReferenceServer, startReferenceServer } from '../index.ts'
import type { Ids } from '../runtime/ids.ts'

/** Answers as they came over the wire, with the date of each masked. */
export async function rawConversation(patch?: Patch): Promise<string[]> {
  const server = await startReferenceServer({
    ...(patch === undefined ? {} : { patch }),
    keys: ['sk-one', 'sk-two'],
    clock: { now: () => 1_893_456_000_000, sleep: async () => {} },
    ids: countingIds(),
    closeDeadlineMs: 500,
  })
  const answers: string[] = []
  try {
    for (const request of requests()) answers.push(await send(server, request(answers)))
  } finally {
    await server.close()
  }
  return answers
}

interface Request {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string
}

/** Later requests name what earlier answers made. */
function requests(): readonly ((answers: readonly string[]) => Request)[] {
  const get = (path: string) => () => ({ method: 'GET', path })
  const post = (path: string, body: object | string, headers = {}) => ({
    ...{ method: 'POST', path, body, headers },
  })
  const prompt = { model: 'SVC-Main', messages: [{ role: 'user', content: 'Name a color.' }] }
  const model = { model_id: 'svc-main-model' }
  const [v3Chat, v2Chat, message] = [3, 4, 5].map(
    (at) => (answers: readonly string[]) => /"id":"([^"]+)"/.exec(answers[at] ?? '')?.[1] ?? '',
  ) as [Name, Name, Name]
  const turn = (id: string, more: object = {}) => ({
    chat_id: id,
    ...model,
    input: 'Hello.',
    ...more,
  })
  const generate = (key: string, more: object) => (all: readonly string[]) =>
    post('/api/v3/message/generate', turn(v3Chat(all), more), { 'idempotency-key': key })
  return [
    get('/healthz'),
    get('/openapi.json'),
    get('/api/openai/models'),
    () => post('/api/v3/chat', { name: 'A chat' }),
    () => post('/api/v2/chat', { name: 'An older chat' }),
    (all) => post('/api/v2/message', { chat_id: v2Chat(all), content: 'Hello.', ...model }),
    (all) =>
      post('/api/v2/message/generate', {
        ...{ chat_id: v2Chat(all), parent_id: message(all), ...model },
      }),
    () => ({ method: 'GET', path: '/api/openai/models', headers: { authorization: 'Bearer no' } }),
    () => post('/api/openai/chat/completions', prompt),
    () => post('/api/openai/chat/completions', { ...prompt, stream: true }),
    () => post('/api/openai/chat/completions', { ...prompt, temperature: 3 }),
    () => post('/api/openai/chat/completions', '{"model":'),
    generate('turn-1', {}),
    generate('turn-1', {}),
    generate('turn-2', { stream: true, think: true }),
    generate('turn-3', { stream: true, max_tokens: 3 }),
    (all) => post('/api/v3/message/generate', turn(v3Chat(all))),
    (all) => post('/api/v3/message/generate', turn(v2Chat(all)), { 'idempotency-key': 'turn-4' }),
    () => post('/api/v3/message/one-shot', { ...model, input: 'Hello.' }),
    () => post('/api/v3/message/one-shot', { ...model, input: 'What time is it?', stream: true }),
    (all) => ({ method: 'GET', path: `/api/v3/message?chat_id=${v3Chat(all)}&limit=3` }),
    get('/api/v3/chat?limit=2'),
    (all) => ({ method: 'GET', path: `/api/v3/chat/${v3Chat(all)}` }),
    (all) => ({ method: 'PATCH', path: `/api/v3/chat/${v3Chat(all)}`, body: { name: 'Other' } }),
    (all) => post(`/api/v3/chat/${v3Chat(all)}/generate-name`, {}),
    (all) => post(`/api/v3/chat/${v3Chat(all)}/favorite`, {}),
    get('/api/v3/chat/favorite'),
    (all) => ({ method: 'DELETE', path: `/api/v3/chat/${v3Chat(all)}/favorite` }),
    (all) => upload('/api/v3/attachment', v3Chat(all)),
    get('/api/v3/attachment?search=notes'),
    (all) => ({ method: 'GET', path: `/api/v3/chat/${v3Chat(all)}/attachments` }),
    get('/api/v3/knowledge'),
    get('/api/knowledge'),
    (all) => upload(`/api/v3/knowledge/${baseIn(all)}/documents`),
    (all) => ({ method: 'GET', path: `/api/knowledge/${baseIn(all)}/search?q=tower` }),
    get('/api/v3/model'),
    get('/api/v3/assistant'),
    (all) => ({ method: 'DELETE', path: `/api/v3/chat/${v3Chat(all)}` }),
    (all) => ({ method: 'GET', path: `/api/v3/chat/${v3Chat(all)}` }),
    get('/api/v3/nowhere'),
  ]
}

type Name = (answers: readonly string[]) => string

function baseIn(answers: readonly string[]): string {
  const list = answers.findLast(
    (answer) => answer.includes('"description"') && answer.includes('"result"'),
  )
  return /"id":"([^"]+)"/.exec(list ?? '')?.[1] ?? ''
}

function upload(path: string, chat?: string): Request {
  const part = (head: string, content: string) =>
    `--border\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
  const field = chat === undefined ? '' : part('name="chat_id"', chat)
  const file = part('name="file"; filename="notes.txt"', 'The tower is high.')
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'multipart/form-data; boundary=border' },
    body: `${field}${file}--border--\r\n`,
  }
}

function send(server: ReferenceServer, { method, path, headers, body }: Request): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '')
  const all = {
    host: 'reference',
    connection: 'close',
    authorization: `Bearer ${server.keys[0]}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const pieces: Buffer[] = []
    socket.on('data', (piece) => pieces.push(piece))
    socket.on('error', reject)
    socket.on('end', () => {
      const answer = Buffer.concat(pieces).toString('latin1')
      resolve(answer.replace(/^date: .*$/im, 'date: masked'))
    })
    // Not ended: who hangs up takes no more of a stream.
    socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${text}`)
  })
}

export function countingIds(): Ids {
  let drawn = 0
  const digits = () => {
    drawn += 1
    return String(drawn).padStart(12, '0')
  }
  return {
    uuid: () => `00000000-0000-4000-8000-${digits()}`,
    tagged: (prefix: string) => `${prefix}_${digits()}`,
  }
}
