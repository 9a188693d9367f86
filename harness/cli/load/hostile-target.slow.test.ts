import { readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../client/test-support/listen-on-loopback.ts'
import { pour, startRawServer } from '../../client/test-support/raw-server.ts'
import { speech } from '../../load/test-support/h2-server.ts'
import { beginningWith, chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { reportIn } from './test-support/loading.ts'

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

test('answers without end take neither memory nor the verdict', async () => {
  let requestCount = 0
  const server = await startRawServer((socket) => {
    const isLoad = server.heads.at(-1)?.startsWith('POST /api/openai') === true
    if (isLoad) answers[requestCount++ % answers.length]?.(socket)
    else socket.end(`${head('application/json')}content-length: ${models.length}\r\n\r\n${models}`)
  })
  onTestFinished(() => server.close())
  const folder = emptyFolder()
  const memoryFile = join(folder, 'memory')
  const { code, stdout } = await chatgen(
    ['load', server.url, '--rate', '8', '--duration', '2s', '--drain', '20s'],
    { CHATGEN_API_KEY: 'sk-test-key', ...tellingMemory(memoryFile) },
    folder,
  )
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
  expect(Number(readFileSync(memoryFile, 'utf8'))).toBeLessThan(500 * 1024)
}, 120_000)

test('a target that grants no chat ends the preparation', async () => {
  let requestCount = 0
  const { url, close } = await listen((request, response) => {
    request.resume()
    if (request.method === 'POST') requestCount += 1
    else response.setHeader('content-type', 'application/json').end('{"result":[]}')
  })
  onTestFinished(close)
  const folder = emptyFolder()
  writeFileSync(join(folder, 'target.yaml'), `baseUrl: ${url}\nlimits: { timeoutMs: 1000 }\n`)
  const plan = ['--rate', '100', '--mix', 'v3-stream', '--duration', '20s']
  const { code, stderr } = await chatgen(
    ['load', '--target', 'target.yaml', ...plan],
    { CHATGEN_API_KEY: 'sk-test-key' },
    folder,
  )
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'POST /api/v3/chat had no answer within 1000 ms (limits.timeoutMs), 3 times in a row, while the chats of the run were created. No load was sent.',
  )
  expect(code).toBe(3)
  // Of 2,000, the first concurrent ones and a few more.
  expect(requestCount).toBeLessThan(100)
}, 120_000)

/** Writes the peak memory of the process, in KiB, to a file; its threads do not. */
function tellingMemory(file: string) {
  return beginningWith(
    `import { isMainThread } from 'node:worker_threads'
import { writeFileSync } from 'node:fs'
if (isMainThread) process.on('exit', () => writeFileSync(${JSON.stringify(file)}, String(process.resourceUsage().maxRSS)))`,
  )
}
