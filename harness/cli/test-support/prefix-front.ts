import { request } from 'node:http'
import { documentedPrefixes, type Prefixes, type PrefixName } from '../../../contract/addresses.ts'
import { listen } from '../../client/test-support/listen-on-loopback.ts'

export interface PrefixFront extends AsyncDisposable {
  readonly url: string
}

/**
 * A front that has surfaces of a service below other paths; any other path is unknown there.
 * @param key added to every request, for a front that itself takes none
 */
export async function startPrefixFront(
  target: string,
  prefixes: Prefixes,
  key?: string,
): Promise<PrefixFront> {
  const entries = Object.entries(prefixes) as [PrefixName, string][]
  const { url: front, close } = await listen((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming
    const entry = entries.find(([, prefix]) => url === prefix || url.startsWith(`${prefix}/`))
    const [name, prefix] = entry ?? entries.find(([, each]) => url.startsWith(`${each}?`)) ?? []
    if (name === undefined || prefix === undefined) {
      outgoing.writeHead(404, { 'content-type': 'application/json' })
      outgoing.end('{"error":{"message":"Not Found","type":"invalid_request_error"}}')
      return
    }
    const path = `${documentedPrefixes[name]}${url.slice(prefix.length)}`
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const forwarded = request(
      `${target}${path}`,
      { method, headers: { ...headers, ...authorization } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.on('error', () => outgoing.destroy())
        answer.pipe(outgoing)
      },
    )
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  return { url: front, [Symbol.asyncDispose]: close }
}
