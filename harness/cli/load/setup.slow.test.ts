import * as zlib from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { chatgen, chatsOn, emptyFolder } from '../test-support/chatgen.ts'
import { type Answer, type Middleman, startProxy } from '../test-support/proxy.ts'
import { load, served, withKey } from './test-support/loading.ts'

vi.setConfig({ testTimeout: 60_000 })

/** A seed with which each transaction arrives within the second. */
const args = ['--mix', 'v3-history', '--rate', '5', '--duration', '1s', '--seed', 'one']

async function behind(middleman: Middleman, url: string): Promise<string> {
  const proxy = await startProxy(url, middleman)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  return proxy.url
}

test.each([
  ['gzip', zlib.gzipSync],
  ['br', zlib.brotliCompressSync],
  ['zstd', zlib.zstdCompressSync],
])(
  'behind a proxy that answers in %s, chats are prepared, read and deleted',
  async (coding, encode) => {
    const url = await served()
    const isCoded = ({ headers }: Answer) => String(headers['content-type']).includes('json')
    const front = await behind(
      {
        headers: (_, answer) => (isCoded(answer) ? { 'content-encoding': coding } : {}),
        pieces: (_, answer) => [isCoded(answer) ? encode(answer.body) : answer.body],
      },
      url,
    )
    const { report } = await load([front, ...args])
    expect(report.transactions.map(({ planned }) => planned)).not.toContain(0)
    expect(report.errors).toEqual([])
    expect(report.notes).toEqual([])
    expect(await chatsOn(url, withKey.CHATGEN_API_KEY)).toEqual([])
  },
)

test('without a readable id, nothing is sent, and the target is named', async () => {
  const url = await served()
  const unreadable = Buffer.from('{"status":"created"}')
  const isCreation = (method: string, path: string) => `${method} ${path}` === 'POST /api/v3/chat'
  const pieces: Middleman['pieces'] = ({ method, path }, { body }) => [
    isCreation(method, path) ? unreadable : body,
  ]
  const front = await behind({ pieces }, url)
  const { code, stdout, stderr } = await chatgen(['load', front, ...args], withKey, emptyFolder())
  expect(code).toBe(3)
  expect(stdout).toBe('')
  expect(stderr).toContain(
    'chat creation: the response has no readable id (status 201, 2 times). No load was sent.',
  )
  expect(stderr).toContain('chats may be left on the target: run chatgen cleanup')
  expect(stderr).not.toContain('generator')
})
