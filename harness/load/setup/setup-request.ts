import { type Header, parseJson } from '../../../contract/index.ts'
import type { LoadEndpoint } from '../endpoints.ts'
import { sizeText } from '../format.ts'
import { answerLimits } from '../http/answer-limits.ts'
import type { AnswerSink } from '../http/channel.ts'
import { type RequestSpec, wireRequest } from '../http/wire-request.ts'

export interface SetupAnswer {
  /** 0 without an answer. */
  readonly status: number
  readonly json: unknown
  readonly error: string | undefined
  /** The target did not answer within `timeoutMs`. */
  readonly timedOut?: true
}

/**
 * Sends a request outside the load, for setup or cleanup. Never rejects; the signal ends the wait for
 * the answer.
 */
export function sendSetupRequest(
  { channels, target }: LoadEndpoint,
  spec: RequestSpec,
  { place, signal }: { readonly place: string; readonly signal: AbortSignal },
): Promise<SetupAnswer> {
  const late = { status: 0, json: undefined, error: 'no answer in time' }
  if (signal.aborted) return Promise.resolve(late)
  const request = wireRequest(spec, target, `${target.tag}/${place}`)
  return new Promise((resolve) => {
    const channel = channels.acquire()
    const done = (answer: SetupAnswer) => {
      clearTimeout(limit)
      signal.removeEventListener('abort', giveUp)
      resolve(answer)
    }
    const leave = (answer: SetupAnswer) => {
      channel.abandon()
      done(answer)
    }
    const giveUp = () => leave(late)
    const limit = setTimeout(() => leave({ ...late, timedOut: true }), target.timeoutMs)
    signal.addEventListener('abort', giveUp)
    channel.send(request, new AnswerCollector(done, () => channel.abandon()))
  })
}

class AnswerCollector implements AnswerSink {
  readonly #done: (answer: SetupAnswer) => void
  readonly #leave: () => void
  readonly #pieces: Uint8Array[] = []
  #size = 0
  #status = 0

  constructor(done: (answer: SetupAnswer) => void, leave: () => void) {
    this.#done = done
    this.#leave = leave
  }

  sent(): void {}

  head(status: number, _headers: readonly Header[]): void {
    this.#status = status
  }

  data(bytes: Uint8Array): void {
    this.#size += bytes.length
    if (this.#size <= answerLimits.bodyBytes) {
      this.#pieces.push(bytes.slice())
      return
    }
    this.#pieces.length = 0
    this.#leave()
    const error = `an answer of more than ${sizeText(answerLimits.bodyBytes)}`
    this.#done({ status: 0, json: undefined, error })
  }

  end(): void {
    this.#done({
      status: this.#status,
      json: parseJson(Buffer.concat(this.#pieces).toString()),
      error: undefined,
    })
  }

  failed(error: Error): void {
    this.#done({ status: 0, json: undefined, error: error.message })
  }

  internalError(error: unknown): void {
    this.failed(error instanceof Error ? error : new Error(String(error)))
  }
}
