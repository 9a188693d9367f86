import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from '../../client/test-support/listen-on-loopback.ts'

export interface ModelsServer extends AsyncDisposable {
  readonly url: string
  readonly requests: number
}

export interface Behavior {
  /** Answers without checking the key. */
  readonly open?: boolean
  /** Answers every key with this status. */
  readonly refuseAll?: number
  /** Delay of every answer, in milliseconds. */
  readonly delayMs?: number
  /** Number of requests that are answered. */
  readonly silentAfter?: number
  /** Called with the number of each request, before it is answered. */
  readonly onRequest?: (count: number) => void
}

export const key = 'sk-models-server-4711'

/** Service with only `GET /models`: it lists its models to clients with the key. */
export async function startModelsServer(behavior: Behavior = {}): Promise<ModelsServer> {
  let requests = 0
  const { url, close } = await listen((request, response) => {
    requests += 1
    behavior.onRequest?.(requests)
    if (requests > (behavior.silentAfter ?? requests)) return
    setTimeout(() => answer(request, response, behavior), behavior.delayMs ?? 0)
  })
  return {
    url,
    get requests() {
      return requests
    },
    [Symbol.asyncDispose]: close,
  }
}

function answer(request: IncomingMessage, response: ServerResponse, behavior: Behavior): void {
  const authorized = behavior.open || request.headers.authorization === `Bearer ${key}`
  response.setHeader('content-type', 'application/json')
  if (behavior.refuseAll) response.statusCode = behavior.refuseAll
  else if (!authorized) response.statusCode = 401
  else if (request.url !== '/api/openai/models') response.statusCode = 404
  const listed = { object: 'list', data: [{ id: 'svc-main-model', object: 'model' }] }
  response.end(JSON.stringify(response.statusCode === 200 ? listed : { error: { message: 'no' } }))
}
