import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startForwardProxy } from '../../client/test-support/forward-proxy.ts'
import {
  certificate,
  certificateFile,
  type Front,
  startPlainServer,
  startTlsServer,
} from '../../client/test-support/tls-front.ts'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'

// Each test starts the real command once or twice, and the machine may be slow.
vi.setConfig({ testTimeout: 120_000 })

const only = ['--only', 'OAI-MODELS-01', '--profile', 'openai', '--quiet']
const key = { CHATGEN_API_KEY: 'sk-networks-4711' }

function ended<T extends { close(): Promise<void> }>(server: T): T {
  onTestFinished(() => server.close())
  return server
}

const listed = JSON.stringify({ object: 'list', data: [{ id: 'svc-main-model', object: 'model' }] })

async function secure(name: Parameters<typeof certificate>[0] = 'server'): Promise<Front> {
  const handle = (_: unknown, response: Parameters<Parameters<typeof startTlsServer>[0]>[1]) => {
    response.setHeader('content-type', 'application/json')
    response.end(listed)
  }
  return ended(await startTlsServer(handle, certificate(name)))
}

const ca = certificateFile('ca.pem')

describe('chatgen check', () => {
  test('trusts an authority by variable, and by profile', async () => {
    const front = await secure()
    const folder = emptyFolder()
    writeFileSync(
      join(folder, 'target.yaml'),
      `baseUrl: ${front.url}\nnetwork: { ca: ${ca}, httpVersion: 1 }\n`,
    )
    const runs = await Promise.all([
      chatgen(['check', front.url, ...only], { ...key, CHATGEN_CA: ca }),
      chatgen(['check', '--target', 'target.yaml', ...only], key, folder),
    ])
    for (const { stdout, stderr } of runs) {
      expect(stderr).not.toContain('certificate')
      expect(stdout).toMatch(/1 passed, 0 violated/)
    }
    expect(new Set(front.protocols)).toEqual(new Set(['h2', 'http/1.1']))
  })

  test('says aloud that it verifies nothing', async () => {
    const front = await secure('self-signed')
    const { stdout, stderr } = await chatgen(['check', front.url, ...only, '--insecure'], key)
    expect(stdout).toMatch(/1 passed, 0 violated/)
    expect(stderr).toContain('--insecure: the TLS certificate of the target is not verified')
  })

  test.each([
    [
      'a self-signed certificate',
      'https',
      'self-signed',
      'is self-signed: trust it with --ca FILE',
    ],
    ['plain HTTP on a port of TLS', 'http', 'server', 'speaks TLS; try https://127.0.0.1:'],
  ] as const)('ends with 3 and one sentence for %s', async (_, scheme, name, sentence) => {
    const front = await secure(name)
    const { code, stderr } = await chatgen(['check', `${scheme}://127.0.0.1:${front.port}`], key)
    expect(code).toBe(3)
    expect(stderr).toContain(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('ends with 3 and one sentence for https on a plain port', async () => {
    const plain = ended(await startPlainServer((_, response) => response.end()))
    const { code, stderr } = await chatgen(['check', `https://127.0.0.1:${plain.port}`], key)
    expect([code, stderr.trim()]).toEqual([
      3,
      `chatgen: https://127.0.0.1:${plain.port} does not speak TLS; try http://127.0.0.1:${plain.port}`,
    ])
  })

  test('goes through the proxy of the environment, to the address that is named without one', async () => {
    const front = await secure()
    const url = `https://chat.test:${front.port}`
    const credential = `Basic ${Buffer.from('bob:a-secret').toString('base64')}`
    const proxy = ended(await startForwardProxy({ credential }))
    const env = { ...key, HTTPS_PROXY: `http://bob:a-secret@127.0.0.1:${proxy.port}` }
    const through = await chatgen(['check', url, ...only, '--ca', ca], env)
    expect(through.stdout).toMatch(/1 passed, 0 violated/)
    expect(new Set(proxy.requests)).toEqual(new Set([`CONNECT chat.test:${front.port}`]))
    const requestCount = proxy.requests.length
    const around = await chatgen(
      ['check', url, ...only, '--ca', ca, '--resolve', `chat.test:${front.port}:127.0.0.1`],
      { ...env, NO_PROXY: '.test' },
    )
    expect(around.stdout).toMatch(/1 passed, 0 violated/)
    expect(proxy.requests).toHaveLength(requestCount)
  })
})
