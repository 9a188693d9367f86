import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listenOnLoopback } from '../../client/test-support/listen-on-loopback.ts'
import { certificate, certificateFile, proxyTo } from '../../client/test-support/tls-front.ts'
import { emptyFolder, start } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

/** Sends GOAWAY after `maxStreams` streams of a connection, and leaves it open. */
async function startFront(target: string, maxStreams: number) {
  const handle = proxyTo(target)
  const streams = new Map<object, number>()
  const server = createSecureServer(
    { ...certificate('server') },
    (request: Http2ServerRequest, response: Http2ServerResponse) => {
      const { session } = request.stream
      const count = (streams.get(session ?? {}) ?? 0) + 1
      if (session) streams.set(session, count)
      response.on('finish', () => {
        if (count >= maxStreams && !session?.destroyed) session?.goaway()
      })
      handle(request, response)
    },
  )
  server.on('sessionError', () => {})
  const { port, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return { url: `https://localhost:${port}`, connections: () => streams.size }
}

test('a process ends with its verdict though a server leaves its connections open after GOAWAY', {
  timeout: 120_000,
}, async () => {
  await using models = await startModelsServer()
  const front = await startFront(models.url, 2)
  const folder = emptyFolder()
  const only = ['--only', 'OAI-MODELS-01', '--only', 'OAI-AUTH-*']
  const args = ['--ca', certificateFile('ca.pem'), ...only]
  const { child, ended, shows } = start(
    ['check', front.url, ...args, '--out', join(folder, 'results')],
    { CHATGEN_API_KEY: key },
    folder,
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  await shows('Results: ')
  const before = performance.now()
  const { code, signal } = await ended
  expect(front.connections()).toBeGreaterThan(1)
  expect([code, signal]).not.toContain('SIGKILL')
  expect(code).not.toBeNull()
  // Node itself would wait for minutes.
  expect(performance.now() - before).toBeLessThan(20_000)
})
