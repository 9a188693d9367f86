import {
  asString,
  chatIdNames,
  destinationOf,
  findId,
  operations,
  pathOf,
  valueAt,
  withoutEcho,
} from '../../../contract/index.ts'
import type { RequestSpec } from '../http/wire-request.ts'
import type { LoadEndpoint, LoadTarget } from '../target.ts'
import type { Warning } from './chat-journal.ts'
import { type SetupAnswer, sendSetupRequest } from './setup-request.ts'

const { 'v3.createChat': create, 'v3.generate': generate } = operations

/** Turns of a chat whose history is read. */
const historyTurns = 3

/** Creates and deletes chats, outside the measured load. */
export class ChatClient {
  readonly warnings: Warning[] = []
  /** Called with method and path of each request; while the chats of a run are prepared, timeouts end it. */
  onAnswer: (request: string, timedOut: boolean) => void = () => {}
  /** Endpoints with the connections of the phase, which is setup or cleanup. */
  endpoints: readonly LoadEndpoint[] = []
  readonly #target: LoadTarget
  readonly #place: string

  /** @param place distinguishes the workers of a run in request ids */
  constructor(target: LoadTarget, place: string) {
    this.#target = target
    this.#place = place
  }

  chatBody(name: string): Readonly<Record<string, unknown>> {
    return { ...this.#target.createChat, name }
  }

  /** Id of a chat in the answer that created it, which may repeat the request `body`. */
  idIn(answer: unknown, body: unknown): string | undefined {
    return this.#idAt(answer, this.#target.chatId, { path: create.path, json: body })
  }

  /** Creates a v3 chat; without an id, `isRejected` means that no chat of this name exists. */
  async createV3(
    name: string,
    endpoint: number,
    signal: AbortSignal,
  ): Promise<{ readonly id: string | undefined; readonly isRejected: boolean }> {
    const body = this.chatBody(name)
    const answer = await this.#send({ ...create, json: body }, endpoint, signal)
    const id = isSuccess(answer) ? this.idIn(answer.json, body) : undefined
    if (id === undefined) this.#warn('chat creation', answer)
    return { id, isRejected: id === undefined && answer.status >= 300 && answer.status < 500 }
  }

  /** Adds three turns to a chat; false if one of them fails. */
  async createHistory(chat: string, endpoint: number, signal: AbortSignal): Promise<boolean> {
    for (let turn = 0; turn < historyTurns; turn += 1) {
      const json = {
        ...this.#target.generate,
        chat_id: chat,
        stream: false,
        model_id: this.#target.model,
        input: `Say one word. This is turn ${turn}.`,
      }
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const answer = await this.#send({ ...generate, json, headers }, endpoint, signal)
      if (!isSuccess(answer)) {
        this.#warn('sending a turn of a chat', answer)
        return false
      }
    }
    return true
  }

  /** Id of a v2 chat: created, or taken from the profile. `ordinal` counts the chats of this worker. */
  async createV2(
    ordinal: number,
    endpoint: number,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { v2Chat, tag } = this.#target
    if (v2Chat === null) return undefined
    if (v2Chat.kind === 'any') return crypto.randomUUID()
    if (v2Chat.kind === 'ids') return v2Chat.ids[ordinal % v2Chat.ids.length]
    const { method, path, query, body, id: pointer } = v2Chat
    const name = `${tag} ${this.#place}.v2.${ordinal}`
    const fill = (text: string) => text.replaceAll('{name}', name)
    const spec: RequestSpec = {
      surface: 'v2',
      method,
      path: fill(path),
      query: Object.fromEntries(Object.entries(query).map(([key, value]) => [key, fill(value)])),
      json: body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body))),
    }
    const answer = await this.#send(spec, endpoint, signal)
    const id = this.#idAt(answer.json, pointer, spec)
    if (isSuccess(answer) && id !== undefined) return id
    this.#warn('creation of a v2 chat', answer)
    return undefined
  }

  /** False if the chat may still exist. Asks the other endpoints if the first one does not delete it. */
  async delete(id: string, endpoint: number, signal: AbortSignal): Promise<boolean> {
    for (let count = 0; ; count += 1) {
      const spec = { surface: 'v3', method: 'DELETE', path: pathOf('v3.deleteChat', id) } as const
      const answer = await this.#send(spec, endpoint + count, signal)
      if (isSuccess(answer) || answer.status === 404) return true
      if (count < this.endpoints.length - 1) continue
      this.#warn('chat deletion', answer)
      return false
    }
  }

  /** @param pointer JSON pointer of the profile; null finds the id by value, outside of echoes */
  #idAt(
    answer: unknown,
    pointer: string | null,
    { path, json }: Pick<RequestSpec, 'path' | 'json'>,
  ): string | undefined {
    if (pointer !== null) return asString(valueAt(answer, pointer))
    const sent = { ...destinationOf(this.#target, path), headers: [], json }
    return findId(withoutEcho(answer, sent), chatIdNames)
  }

  async #send(spec: RequestSpec, endpoint: number, signal: AbortSignal): Promise<SetupAnswer> {
    const place = `prepare/${this.#place}`
    const to = this.endpoints[endpoint % this.endpoints.length]
    if (to === undefined) throw new RangeError('the target has no endpoint')
    const answer = await sendSetupRequest(to, spec, { place, signal })
    // A request that ended with the run says nothing about the target.
    if (answer.timedOut || !signal.aborted) {
      this.onAnswer(`${spec.method} ${spec.path}`, answer.timedOut === true)
    }
    return answer
  }

  #warn(action: string, answer: SetupAnswer): void {
    const { status, error } = answer
    const problem = isSuccess(answer) ? ': the response has no readable id' : ' failed'
    const text = `${action}${error === undefined ? problem : `: ${error}`}`
    this.warnings.push({ text, status: status === 0 ? null : status, count: 1 })
  }
}

function isSuccess({ status, error }: SetupAnswer): boolean {
  return status >= 200 && status < 300 && error === undefined
}
