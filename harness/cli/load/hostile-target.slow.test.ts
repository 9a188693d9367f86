import type { Socket } from 'node:net'
import { brotliCompressSync, zstdCompressSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { listening, pour, rawServer } from '../../client/test-support/listen-on-loopback.ts'
import { speech } from '../../load/test-support/odd-server.ts'
import { beginningWith, chatgen, chatsOn, expectEnd, workplace } from '../test-support/chatgen.ts'
import {
  type Answer,
  load,
  type Middleman,
  reportIn,
  served,
  startProxy,
  withKey,
} from '../test-support/servers.ts'

const mebibyte = 1024 * 1024
const head = (type: string) => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n`
const models = '{"object":"list","data":[{"id":"svc-main-model","object":"model"}]}'
const bomb = brotliCompressSync(Buffer.alloc(64 * mebibyte))
const stream = `${head('text/event-stream')}\r\n`

/** Responses that never end. */
const answers: readonly ((socket: Socket) => void)[] = [
  (socket) => pour(socket, `${head('application/json')}\r\n`, 'a'.repeat(64 * 1024)),
  (socket) => pour(socket, `${stream}data: `, 'a'.repeat(64 * 1024)),
  (socket) => pour(socket, stream, (speech[1] ?? '').repeat(400)),
  (socket) => {
    socket.write(`${head('application/json')}content-encoding: br\r\n\r\n`)
    socket.write(bomb)
  },
]

test('endless answers end at a limit with little memory, and are missed', async () => {
  let requestCount = 0
  const server = await rawServer((socket) => {
    const isLoad = server.heads.at(-1)?.startsWith('POST /api/openai') === true
    if (isLoad) answers[requestCount++ % answers.length]?.(socket)
    else socket.end(`${head('application/json')}content-length: ${models.length}\r\n\r\n${models}`)
  })
  const { folder, run, read } = workplace({ ...withKey, ...writingPeakMemory('memory') })
  const { code, stdout } = await run(`load ${server.url} --rate 8 --duration 2s --drain 20s`)
  const report = reportIn(folder)
  expect(report.errors.map(({ kind }) => kind)).toEqual(report.errors.map(() => 'limit'))
  expect(report.errors.map(({ detail }) => detail).sort()).toEqual([
    'a body of more than 8 MiB',
    'a line or an event of more than 4 MiB',
    'a stream of more than 40000 events',
  ])
  expect(report).toMatchObject({ outcome: 'missed', faults: [], open: 0 })
  expect(stdout).toContain('no answer is without end')
  expect(code).toBe(1)
  expect(Number(read('memory'))).toBeLessThan(500 * 1024)
}, 120_000)

test('a load ends during preparation if no chat can be created', async () => {
  let requestCount = 0
  const { url } = await listening((request, response) => {
    request.resume()
    if (request.method === 'POST') requestCount += 1
    else response.setHeader('content-type', 'application/json').end('{"result":[]}')
  })
  const profile = `baseUrl: ${url}\nlimits: { timeoutMs: 1000 }\n`
  const { run } = workplace(withKey, { 'target.yaml': profile })
  const line = 'load --target target.yaml --rate 100 --mix v3-stream --duration 20s'
  const { code, stderr } = await run(line)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'POST /api/v3/chat got no answer within 1000 ms (limits.timeoutMs), 3 times in a row, while the chats of the run were created. No load was sent.',
  )
  expect(code).toBe(3)
  // Of 2,000, the first concurrent ones and a few more.
  expect(requestCount).toBeLessThan(100)
}, 120_000)

/** Writes the peak memory of the process, in KiB, to a file; its threads do not. */
function writingPeakMemory(file: string) {
  return beginningWith(
    `import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
if (isMainThread) process.on('exit', () => writeFileSync(${JSON.stringify(file)}, String(process.resourceUsage().maxRSS)))`,
  )
}

/** A seed with which each transaction arrives within the second. */
const plan = '--mix v3-history --rate 5 --duration 1s --seed one'

async function behind(middleman: Middleman, url: string): Promise<string> {
  const proxy = await startProxy(url, middleman)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  return proxy.url
}

test('a load prepares, reads and deletes chats through a compressing proxy', async () => {
  const url = await served()
  const isCoded = ({ headers }: Answer) => String(headers['content-type']).includes('json')
  const front = await behind(
    {
      headers: (_, answer) => (isCoded(answer) ? { 'content-encoding': 'zstd' } : {}),
      pieces: (_, answer) => [isCoded(answer) ? zstdCompressSync(answer.body) : answer.body],
    },
    url,
  )
  const { report } = await load(`${front} ${plan}`)
  expect(report.transactions.map(({ planned }) => planned)).not.toContain(0)
  expect(report.errors).toEqual([])
  expect(report.notes).toEqual([])
  expect(await chatsOn(url, withKey.CHATGEN_API_KEY)).toEqual([])
})

test('a load without a readable chat id sends nothing and names the response', async () => {
  const url = await served()
  const unreadable = Buffer.from('{"status":"created"}')
  const isCreation = (method: string, path: string) => `${method} ${path}` === 'POST /api/v3/chat'
  const pieces: Middleman['pieces'] = ({ method, path }, { body }) => [
    isCreation(method, path) ? unreadable : body,
  ]
  const front = await behind({ pieces }, url)
  const ended = await chatgen(`load ${front} ${plan}`, withKey)
  const why =
    'chat creation: the response has no readable id (status 201, 2 times). No load was sent.'
  const err = [why, 'chats may be left on the target: run chatgen cleanup']
  expectEnd(ended, 3, { out: /^$/, err })
  expect(ended.stderr).not.toContain('generator')
})

vi.setConfig({ testTimeout: 120_000 })

const traffic = '--mix v3 --rate 10 --duration 3s --races 0.3 --seed s'

test('--spread sticky keeps each chat on one endpoint, with figures of each', async () => {
  // They share nothing: a chat exists only where it was created.
  const [one, other] = [await served(), await served()]
  const { folder, read } = workplace()
  const { stdout, report } = await load(
    `${one} --url ${other} --spread sticky ${traffic} --report console,markdown,html`,
    folder,
  )
  expect(report.errors).toEqual([])
  expect(report.notes).toEqual([])
  expect(report.endpoints?.map(({ name, baseUrl }) => [name, baseUrl])).toEqual([
    ['A', one],
    ['B', other],
  ])
  for (const { requests, failed } of report.endpoints ?? []) {
    expect(requests).toBeGreaterThan(0)
    expect(failed).toBe(0)
  }
  expect(stdout).toContain('Endpoints, sticky')
  expect(read('chatgen-results/report.md')).toContain('### Endpoints')
  expect(read('chatgen-results/report.html')).toContain('>Endpoints, sticky ')
})

test('--spread round-robin uses all endpoints, also in shards', async () => {
  const [one, other] = [await served(), await served()]
  const { folder, run } = workplace(withKey)
  const line = `load ${traffic} --url ${one} --url ${other} --runner local --shards 2 --start-in 6s`
  const { stdout } = await run(line)
  const report = reportIn(folder)
  expect(report.config.spread).toBe('round-robin')
  expect(stdout).toContain('Endpoints, round-robin')
  // A chat of the other server is not found.
  expect(report.errors).toContainEqual(expect.objectContaining({ kind: 'status', detail: '404' }))
  const { endpoints = [], transactions } = report
  const sent = transactions.flatMap(({ requests }) => requests.map(({ count }) => count))
  const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)
  expect(total(endpoints.map(({ requests }) => requests))).toBe(total(sent))
  for (const { requests } of endpoints) expect(requests).toBeGreaterThan(0)
})
