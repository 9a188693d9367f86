import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { isInstalled, type Program, startProgram } from '../foreign/programs.ts'

const configuration = fileURLToPath(new URL('../../deploy/compose/nginx.conf', import.meta.url))
const [first, second, third] = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const

let addresses: readonly string[] = []
let folder: string
let names: Socket
let nginx: Program
let url: string
let port: number
const replicas: Server[] = []

beforeAll(async () => {
  if (!isInstalled('nginx')) return
  folder = mkdtempSync(join(tmpdir(), 'chatgen-compose-'))
  port = await freePort()
  const front = await freePort()
  names = await nameServer()
  const text = readFileSync(configuration, 'utf8')
    .replace('127.0.0.11', `127.0.0.1:${names.address().port}`)
    .replace('listen 4010', `listen 127.0.0.1:${front}`)
    .replace('server:4010', `server:${port}`)
  const paths = `daemon off; master_process off; pid ${folder}/nginx.pid;`
  nginx = await startProgram(folder, front, {
    command: ['nginx', '-p', folder, '-e', `${folder}/error.log`, '-c', 'nginx.conf', '-g', paths],
    files: { 'nginx.conf': text },
  })
  url = `http://127.0.0.1:${front}`
})

afterAll(async () => {
  for (const replica of replicas) replica.close()
  await nginx?.stop()
  names?.close()
})

test.skipIf(!isInstalled('nginx'))(
  'nginx of the compose file skips dead replicas and finds new ones',
  async () => {
    addresses = [first, second]
    await startReplica(first)
    const answers = []
    for (let count = 0; count < 8; count += 1) answers.push(await get('/api/v3/chat'))
    expect(answers).toEqual(Array.from({ length: 8 }, () => first))

    await startReplica(third)
    addresses = [third]
    for (const until = Date.now() + 20_000; (await get('/')) !== third; await sleep(100)) {
      expect(Date.now()).toBeLessThan(until)
    }
    expect(await get('/api/v3/message/generate?a=b')).toBe(third)
  },
)

async function get(path: string): Promise<string> {
  const response = await fetch(url + path)
  const text = await response.text()
  expect([response.status, path]).toEqual([200, path])
  return text
}

/** Answers with its own address. */
async function startReplica(address: string): Promise<void> {
  const server = createServer((_, response) => response.end(address)).listen(port, address)
  await once(server, 'listening')
  replicas.push(server)
}

/** The name of the question, type A, class IN, a second to live, four bytes. */
const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4]

/** Answers each question with the current addresses (RFC 1035). */
async function nameServer(): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.on('message', (query, { port: from, address }) => {
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(addresses.length, 6)
    header.writeUInt16BE(0, 10)
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    const answers = addresses.map((each) =>
      Buffer.from([...record, ...each.split('.').map(Number)]),
    )
    socket.send(Buffer.concat([header, question, ...answers]), from, address)
  })
  return socket
}
