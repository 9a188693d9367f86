import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen, readBody } from '../../client/test-support/listen-on-loopback.ts'

export interface StoredChat {
  readonly id: string
  readonly name: string
}

export interface Quirks {
  /** Key of the server; by default a random one. */
  readonly key?: string
  /** Decides if the n-th deletion of a chat is done, and its status. */
  readonly deletes?: (times: number) => { readonly done: boolean; readonly status: number }
  /** Body of the response to the creation. */
  readonly created?: (chat: StoredChat) => unknown
  /** Body of a list of the chats that a search selects. */
  readonly page?: (chats: readonly StoredChat[], search: string | null) => unknown
  /** Status of the response to everything. */
  readonly status?: number
  /** Decides if the n-th request is answered at all. */
  readonly answers?: (count: number) => boolean
}

export type ChatServer = Awaited<ReturnType<typeof startChatServer>>

/** Server for the management of chats alone, with its own response formats. */
export async function startChatServer(quirks: Quirks = {}) {
  const { key = `tok_${crypto.randomUUID()}` } = quirks
  const chats = new Map<string, StoredChat>()
  const deletions = new Map<string, number>()
  /** Method and path of each request. */
  const requests: string[] = []
  const { deletes = () => ({ done: true, status: 204 }), answers = () => true } = quirks
  const { created = recordOf, page = (found) => ({ items: found.map(recordOf) }) } = quirks

  const host = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    requests.push(`${request.method} ${pathname}`)
    if (!answers(requests.length)) return void response.destroy()
    if (quirks.status !== undefined) return send(response, quirks.status)
    if (request.headers.authorization !== `Bearer ${key}`) return send(response, 403)
    const id = pathname.split('/')[4] ?? ''
    const chat = chats.get(id)
    if (pathname === '/api/v3/chat') {
      if (request.method === 'POST') return void create(request, response)
      const search = searchParams.get('search')
      const found = [...chats.values()].filter(({ name }) => name.startsWith(search ?? ''))
      return send(response, 200, page(found, search))
    }
    if (!chat || !pathname.startsWith('/api/v3/chat/')) return send(response, 404)
    if (request.method === 'GET') return send(response, 200, { chat: recordOf(chat) })
    const times = (deletions.get(id) ?? 0) + 1
    deletions.set(id, times)
    const { done, status } = deletes(times)
    if (done) chats.delete(id)
    send(response, status)
  })
  return { ...host, key, chats, requests: requests, add }

  function add(name: string): string {
    const id = crypto.randomUUID()
    chats.set(id, { id, name })
    return id
  }

  async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { name } = JSON.parse((await readBody(request)).toString())
    const id = add(String(name))
    send(response, 201, created({ id, name: String(name) }))
  }
}

/** Response in which an id other than the chat's comes first. */
export function recordOf({ id, name }: StoredChat) {
  return { owner: { id: '11111111-2222-4333-8444-555555555555' }, title: name, uuid: id }
}

function send(response: ServerResponse, status: number, body?: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
