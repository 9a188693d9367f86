import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { targetFixture } from '../../fixtures/targets.ts'
import { loadProfile } from '../conformance/profile/index.ts'
import type { Attempt } from './runs/run-target.ts'

type Behavior = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** Servers that do nothing of what the document says: nothing required may pass against them. */
const behaviors: Readonly<Record<string, Behavior>> = {
  'always-200': json(200, {}),
  'always-400': json(400, { error: { message: 'no' } }),
  'always-401': json(401, { error: { message: 'no' } }),
  'always-404': json(404, { error: { message: 'no' } }),
  'always-500': json(500, { error: { message: 'no' } }),
  'html-page': (_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Welcome</title><p>It works.')
  },
  'empty-204': (_request, response) => {
    response.statusCode = 204
    response.end()
  },
  echo: (request, response, body) => {
    response.setHeader('content-type', request.headers['content-type'] ?? 'text/plain')
    response.end(body)
  },
  reset: (request) => void request.socket.destroy(),
  hang: () => {},
  'redirect-loop': (request, response) => {
    response.writeHead(307, { location: request.url ?? '/' })
    response.end()
  },
  'canned-answer': (request, response) => {
    if (request.method === 'GET')
      return json(200, { result: [], pagination: { cursor: null } })(request, response, '')
    response.setHeader('content-type', 'text/event-stream')
    response.end(cannedStream)
  },
}

const cannedResponse = { id: 'resp_1', object: 'response', status: 'completed', output: [] }
const cannedStream = [
  ['response.created', { response: { ...cannedResponse, status: 'in_progress' } }],
  ['response.completed', { response: cannedResponse }],
]
  .map(
    ([name, data]) =>
      `event: ${name}\ndata: ${JSON.stringify({ type: name, ...Object(data) })}\n\n`,
  )
  .join('')

export const nullServerNames: readonly string[] = Object.keys(behaviors).map(
  (name) => `null-${name}`,
)

export function nullAttempts(): Attempt[] {
  return Object.entries(behaviors).map(([name, behavior]) => ({
    kind: 'null',
    name: `null-${name}`,
    open: () => startNullServer(behavior),
    selection: { profile: 'full', only: [], skip: [] },
  }))
}

async function startNullServer(behavior: Behavior) {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece) => pieces.push(piece))
    request.on('end', () => behavior(request, response, Buffer.concat(pieces).toString()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const environment = { CHATGEN_API_KEY: 'sk-null-0001', CHATGEN_OTHER_KEY: 'sk-null-0002' }
  const overrides = { baseUrl: `http://127.0.0.1:${port}`, limits: { timeoutMs: 300, settleMs: 0 } }
  return {
    profile: loadProfile(targetFixture('reference'), environment, overrides),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function json(status: number, body: object): Behavior {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
}
