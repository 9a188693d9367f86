/** A page of another origin, in a real browser, that streams a chat from the server. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { launchChromium, skipBrowser } from '../../reports/html/test-support/offline-page.ts'
import { testServer } from '../test-support/server.ts'

/** Origin of an empty page. */
async function pageOrigin(): Promise<string> {
  const pages = createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>page</title>')
  })
  pages.listen(0, '127.0.0.1')
  await once(pages, 'listening')
  onTestFinished(() => {
    pages.closeAllConnections()
    pages.close()
  })
  return `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
}

/** Runs in the page. */
async function streamedChat({ url, key }: { url: string; key: string }) {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  }
  const post = (path: string, body: object) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const chat = JSON.parse(await (await post('/api/v3/chat', { name: 'From a page' })).text())
  const turn = { chat_id: chat.id, model_id: 'svc-main-model', input: 'Hello', stream: true }
  const response = await post('/api/v3/message/generate', turn)
  let text = ''
  let reads = 0
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    reads += 1
  }
  const id = response.headers.get('x-request-id')
  const removed = await fetch(`${url}/api/v3/chat/${chat.id}`, { method: 'DELETE', headers })
  return { status: response.status, text, reads, id, deleted: removed.status }
}

describe.skipIf(skipBrowser)('a page in Chromium', () => {
  test('streams a chat from a server that allows its origin, and from no other', async () => {
    const origin = await pageOrigin()
    const server = await testServer({
      origins: [origin],
      pace: { ttftMs: 20, gapMs: 50, jitter: 0 },
    })
    const closed = await testServer()
    const browser = await launchChromium()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(origin)
    const target = { url: server.url, key: server.keys[0] ?? '' }
    const streamed = await page.evaluate(streamedChat, target)
    expect(streamed).toMatchObject({
      status: 200,
      deleted: 204,
      id: expect.stringMatching(/^req_/),
    })
    expect(streamed.reads).toBeGreaterThan(1)
    expect(streamed.text).toContain('event: response.completed')
    const refused = { url: closed.url, key: closed.keys[0] ?? '' }
    await expect(page.evaluate(streamedChat, refused)).rejects.toThrow(/Failed to fetch/)
  })
})
