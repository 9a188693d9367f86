import { type Header, parseJson } from '../../../contract/index.ts'
import { sizeText } from '../format.ts'
import { answerLimits } from '../http/answer-limits.ts'
import type { AnswerSink, Channel } from '../http/channel.ts'
import { bodyCodings, type DecodedSink, DecodeGate, EncodedBody } from '../http/encoded-body.ts'
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
  #encodedBody: EncodedBody | undefined
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
    const codings = bodyCodings(headers)
    if (codings.length === 0) return
    this.#encodedBody = new EncodedBody(codings, answerLimits.bodyBytes, decodeGate, this)
  }

  data(bytes: Uint8Array, at: number): void {
    if (this.#encodedBody === undefined) {
      this.decoded(bytes)
      return
    }
    this.#encodedBody.push(bytes, at)
    if (this.#encodedBody.isFull) this.#channel.pause()
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
    const finish = () => {
      const json = parseJson(Buffer.concat(this.#pieces).toString())
      this.#finish(json, undefined)
    }
    if (this.#encodedBody === undefined) finish()
    else this.#encodedBody.finish(at, true, finish)
  }

  failed(error: Error): void {
    this.#encodedBody?.discard()
    this.#finish(undefined, error.message)
  }

  internalError(error: unknown): void {
    this.failed(error instanceof Error ? error : new Error(String(error)))
  }

  #leave(error: string): void {
    this.#pieces.length = 0
    this.#channel.abandon()
    this.#encodedBody?.discard()
    this.#finish(undefined, error)
  }

  #finish(json: unknown, error: string | undefined): void {
    this.#done({ status: this.#status, headers: this.#headers, json, error })
  }
}
