import {
  asString,
  chatIdNames,
  destinationOf,
  findId,
  type Header,
  operations,
  parseJson,
  pathOf,
  valueAt,
  withoutEcho,
} from '../../../contract/index.ts'
import { messageOf } from '../../../contract/text.ts'
import {
  AnswerBody,
  answerLimits,
  type DecodedSink,
  DecodeGate,
  sizeText,
} from '../http/answer-body.ts'
import type { AnswerSink, Channel } from '../http/channel.ts'
import { type RequestSpec, wireRequest } from '../http/wire-request.ts'
import type { LoadEndpoint, LoadTarget } from '../target.ts'
import type { Warning } from './chat-journal.ts'

const { 'v3.createChat': create, 'v3.generate': generate } = operations

/** Turns of a chat whose history is read. */
const historyTurns = 3

interface ChatClientOptions {
  readonly target: LoadTarget
  /** Distinguishes the workers of a run in request ids. */
  readonly place: string
  readonly endpoints: readonly LoadEndpoint[]
  /** Gets failed creations and deletions. */
  readonly warnings: Warning[]
  /** Called with method and path of each request. */
  readonly onAnswer?: (request: string, timedOut: boolean) => void
}

/** Creates and deletes chats, outside the measured load. */
export function chatClient(options: ChatClientOptions) {
  const { target, place, endpoints, warnings, onAnswer } = options
  async function send(spec: RequestSpec, endpoint: number, signal: AbortSignal) {
    const to = endpoints[endpoint % endpoints.length]
    if (to === undefined) throw new RangeError('the target has no endpoint')
    const answer = await sendSetupRequest(to, spec, { place: `prepare/${place}`, signal })
    // A request that ended with the run says nothing about the target.
    if (answer.timedOut || !signal.aborted) {
      onAnswer?.(`${spec.method} ${spec.path}`, answer.timedOut === true)
    }
    return answer
  }
  function warn(action: string, answer: SetupAnswer): void {
    const { status, error } = answer
    const problem = isSuccess(answer) ? ': the response has no readable id' : ' failed'
    const text = `${action}${error === undefined ? problem : `: ${error}`}`
    warnings.push({ text, status: status === 0 ? null : status, count: 1 })
  }
  return {
    /** Creates a v3 chat; without an id, `isRejected` means that no chat of this name exists. */
    async createV3(name: string, endpoint: number, signal: AbortSignal) {
      const body = chatBody(target, name)
      const answer = await send({ ...create, json: body }, endpoint, signal)
      const id = isSuccess(answer) ? newChatId(target, answer.json, body) : undefined
      if (id === undefined) warn('chat creation', answer)
      return { id, isRejected: id === undefined && answer.status >= 300 && answer.status < 500 }
    },
    /** Adds three turns to a chat; false if one of them fails. */
    async createHistory(chat: string, endpoint: number, signal: AbortSignal): Promise<boolean> {
      for (let turn = 0; turn < historyTurns; turn += 1) {
        const json = {
          ...target.generate,
          chat_id: chat,
          stream: false,
          model_id: target.model,
          input: `Say one word. This is turn ${turn}.`,
        }
        const headers = { 'idempotency-key': crypto.randomUUID() }
        const answer = await send({ ...generate, json, headers }, endpoint, signal)
        if (isSuccess(answer)) continue
        warn('sending a turn of a chat', answer)
        return false
      }
      return true
    },
    /** Id of a v2 chat: created, or taken from the profile. `ordinal` counts the chats of this worker. */
    async createV2(ordinal: number, endpoint: number, signal: AbortSignal) {
      const { v2Chat, tag } = target
      if (v2Chat === null) return undefined
      if ('anyUuid' in v2Chat) return crypto.randomUUID()
      if ('ids' in v2Chat) return v2Chat.ids[ordinal % v2Chat.ids.length]
      const { method, path, query = {}, body, id: pointer = null } = v2Chat.create
      const fill = (text: string) => text.replaceAll('{name}', `${tag} ${place}.v2.${ordinal}`)
      const spec: RequestSpec = {
        surface: 'v2',
        method,
        path: fill(path),
        query: Object.fromEntries(Object.entries(query).map(([key, value]) => [key, fill(value)])),
        json: body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body))),
      }
      const answer = await send(spec, endpoint, signal)
      const id = idAt(target, answer.json, pointer, spec)
      if (isSuccess(answer) && id !== undefined) return id
      warn('creation of a v2 chat', answer)
      return undefined
    },
    /** False if the chat may still exist. Asks the other endpoints if the first one does not delete it. */
    async delete(id: string, endpoint: number, signal: AbortSignal): Promise<boolean> {
      const spec = { surface: 'v3', method: 'DELETE', path: pathOf('v3.deleteChat', id) } as const
      for (let count = 0; ; count += 1) {
        const answer = await send(spec, endpoint + count, signal)
        if (isSuccess(answer) || answer.status === 404) return true
        if (count < endpoints.length - 1) continue
        warn('chat deletion', answer)
        return false
      }
    },
  }
}

export function chatBody({ createChat }: LoadTarget, name: string): object {
  return { ...createChat, name }
}

/** Id of a chat in the answer that created it, which may repeat the request `body`. */
export function newChatId(target: LoadTarget, answer: unknown, body: unknown): string | undefined {
  return idAt(target, answer, target.chatId, { path: create.path, json: body })
}

/** @param pointer JSON pointer of the profile; null finds the id by value, outside of echoes */
function idAt(
  target: LoadTarget,
  answer: unknown,
  pointer: string | null,
  { path, json }: Pick<RequestSpec, 'path' | 'json'>,
): string | undefined {
  if (pointer !== null) return asString(valueAt(answer, pointer))
  const sent = { ...destinationOf(target, path), headers: [], json }
  return findId(withoutEcho(answer, sent), chatIdNames)
}

function isSuccess({ status, error }: SetupAnswer): boolean {
  return status >= 200 && status < 300 && error === undefined
}

export interface SetupAnswer {
  /** 0 without an answer. */
  readonly status: number
  readonly headers: readonly Header[]
  readonly json: unknown
  readonly error: string | undefined
  /** The target did not answer within `timeoutMs`. */
  readonly timedOut?: true
}

/**
 * Sends a request outside the load, for setup or cleanup. Never rejects; the signal ends the wait for
 * the answer. The timeout begins when a connection is free for the request.
 */
export function sendSetupRequest(
  { channels, target }: LoadEndpoint,
  spec: RequestSpec,
  { place, signal }: { readonly place: string; readonly signal: AbortSignal },
): Promise<SetupAnswer> {
  const late = { status: 0, headers: [], json: undefined, error: 'no answer in time' }
  if (signal.aborted) return Promise.resolve(late)
  const request = wireRequest(spec, target, `${target.tag}/${place}`)
  return new Promise((resolve) => {
    let leave = () => {}
    let timeout: NodeJS.Timeout | undefined
    const done = (answer: SetupAnswer) => {
      clearTimeout(timeout)
      signal.removeEventListener('abort', giveUp)
      resolve(answer)
    }
    const giveUp = () => {
      leave()
      done(late)
    }
    signal.addEventListener('abort', giveUp)
    const endWait = channels.acquire((channel) => {
      leave = () => channel.abandon()
      timeout = setTimeout(() => {
        leave()
        done({ ...late, timedOut: true })
      }, target.timeoutMs)
      channel.send(request, collector(channel, done))
    })
    // No channel yet: giving up ends the wait.
    if (timeout === undefined) leave = endWait
  })
}

/** Answers of setup and cleanup are few and small, so they share one gate. */
const decodeGate = new DecodeGate()

/** Collects an answer in one piece. */
function collector(channel: Channel, done: (answer: SetupAnswer) => void): AnswerSink {
  const pieces: Uint8Array[] = []
  let [size, status] = [0, 0]
  let headers: readonly Header[] = []
  let body: AnswerBody | undefined
  const finish = (json: unknown, error?: string) => done({ status, headers, json, error })
  const fail = (error: string) => {
    body?.discard()
    finish(undefined, error)
  }
  const leave = (error: string) => {
    pieces.length = 0
    channel.abandon()
    fail(error)
  }
  const internalError = (error: unknown) => fail(messageOf(error))
  const decoded: DecodedSink = {
    decoded: (bytes) => {
      size += bytes.length
      if (size <= answerLimits.bodyBytes) pieces.push(bytes.slice())
      else leave(`an answer of more than ${sizeText(answerLimits.bodyBytes)}`)
    },
    undecodable: (why) => leave(`the body of the response cannot be decoded: ${why}`),
    drained: () => channel.resume(),
    internalError,
  }
  return {
    sent: () => {},
    head: (answered, all) => {
      status = answered
      headers = all
      body = new AnswerBody(all, answerLimits.bodyBytes, decodeGate, decoded)
    },
    data: (bytes, at) => {
      body?.push(bytes, at)
      if (body?.isFull === true) channel.pause()
    },
    end: (at) => body?.finish(at, true, () => finish(parseJson(Buffer.concat(pieces).toString()))),
    failed: (error) => fail(error.message),
    internalError,
  }
}
