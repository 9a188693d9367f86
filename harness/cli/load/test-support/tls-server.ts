/** A compatible surface behind TLS, with a certificate that only this folder vouches for. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const inThisFolder = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** File for NODE_EXTRA_CA_CERTS. */
export const certificateFile = inThisFolder('certificate.pem')

export async function tlsServer(): Promise<string> {
  const [cert, key] = ['certificate.pem', 'key.pem'].map((name) => readFileSync(inThisFolder(name)))
  const server = createServer({ cert, key }, (request, response) => {
    request.resume()
    if (request.method === 'GET') {
      response.end('{"data":[]}')
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [delta, finish] of speech) response.write(chunk(delta, finish))
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  return `https://localhost:${typeof address === 'object' && address !== null ? address.port : 0}`
}

const speech = [
  [{ role: 'assistant', content: 'Hello' }, null],
  [{ content: ' there' }, null],
  [{}, 'stop'],
] as const

function chunk(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`
}
