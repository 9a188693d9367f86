/** Misbehaving clients, which disconnect in the middle or do not read. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { ReferenceServer } from '../index.ts'

export interface OpenStream {
  readonly request: ClientRequest
  readonly response: IncomingMessage
}

/** Resolves with the head of the answer, before its body is read. */
export function openStream(
  server: ReferenceServer,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const sent = request(server.url + path, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${server.keys[0]}`,
        'content-type': 'application/json',
        ...headers,
      },
    })
    sent.on('response', (response) => resolve({ request: sent, response }))
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

/** Reads a few bytes, then disconnects. */
export async function leaveInMidStream({ request: sent, response }: OpenStream): Promise<void> {
  await new Promise((resolve) => response.once('data', resolve))
  response.on('error', () => {})
  sent.on('error', () => {})
  sent.destroy()
}

export async function readAll({ response }: OpenStream): Promise<string> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) text += chunk
  return text
}
