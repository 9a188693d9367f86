import { type Header, parseJson } from '../../../contract/index.ts'
import {
  AnswerBody,
  answerLimits,
  type DecodedSink,
  DecodeGate,
  sizeText,
} from '../http/answer-body.ts'
import type { AnswerSink, Channel } from '../http/channel.ts'
import { type RequestSpec, wireRequest } from '../http/wire-request.ts'
import type { LoadEndpoint } from '../target.ts'

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
      channel.send(request, new AnswerCollector(channel, done))
    })
    // No channel yet: giving up ends the wait.
    if (timeout === undefined) leave = endWait
  })
}

/** Answers of setup and cleanup are few and small, so they share one gate. */
const decodeGate = new DecodeGate()

class AnswerCollector implements AnswerSink, DecodedSink {
  readonly #channel: Channel
  readonly #done: (answer: SetupAnswer) => void
  readonly #pieces: Uint8Array[] = []
  #body: AnswerBody | undefined
  #size = 0
  #status = 0
  #headers: readonly Header[] = []

  constructor(channel: Channel, done: (answer: SetupAnswer) => void) {
    this.#channel = channel
    this.#done = done
  }

  sent(): void {}

  head(status: number, headers: readonly Header[]): void {
    this.#status = status
    this.#headers = headers
    this.#body = new AnswerBody(headers, answerLimits.bodyBytes, decodeGate, this)
  }

  data(bytes: Uint8Array, at: number): void {
    this.#body?.push(bytes, at)
    if (this.#body?.isFull === true) this.#channel.pause()
  }

  decoded(bytes: Uint8Array): void {
    this.#size += bytes.length
    if (this.#size <= answerLimits.bodyBytes) this.#pieces.push(bytes.slice())
    else this.#leave(`an answer of more than ${sizeText(answerLimits.bodyBytes)}`)
  }

  drained(): void {
    this.#channel.resume()
  }

  undecodable(why: string): void {
    this.#leave(`the body of the response cannot be decoded: ${why}`)
  }

  end(at: number): void {
    this.#body?.finish(at, true, () => {
      this.#finish(parseJson(Buffer.concat(this.#pieces).toString()), undefined)
    })
  }

  failed(error: Error): void {
    this.#body?.discard()
    this.#finish(undefined, error.message)
  }

  internalError(error: unknown): void {
    this.failed(error instanceof Error ? error : new Error(String(error)))
  }

  #leave(error: string): void {
    this.#pieces.length = 0
    this.#channel.abandon()
    this.#body?.discard()
    this.#finish(undefined, error)
  }

  #finish(json: unknown, error: string | undefined): void {
    this.#done({ status: this.#status, headers: this.#headers, json, error })
  }
}
