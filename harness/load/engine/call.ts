import type { Header } from '../../contract/index.ts'
import type { AnswerSink } from './connection.ts'
import type { Connections } from './connections.ts'
import type { LoadTarget } from './target.ts'
import { type RequestSpec, requestBytes, wireRequest } from './wire-form.ts'

export interface CallAnswer {
  /** 0 where no answer came. */
  readonly status: number
  readonly json: unknown
  readonly error: string | undefined
}

/**
 * A request beside the load: before it, to arrange, or after it, to tidy up. Never rejects; the signal
 * ends the wait for an answer.
 */
export function call(
  connections: Connections,
  target: LoadTarget,
  spec: RequestSpec,
  { place, signal }: { readonly place: string; readonly signal: AbortSignal },
): Promise<CallAnswer> {
  const late = { status: 0, json: undefined, error: 'no answer in time' }
  if (signal.aborted) return Promise.resolve(late)
  const request = wireRequest(spec, target, `${target.tag}/${place}`)
  return new Promise((resolve) => {
    const connection = connections.take()
    const done = (answer: CallAnswer) => {
      clearTimeout(limit)
      signal.removeEventListener('abort', giveUp)
      resolve(answer)
    }
    const giveUp = () => {
      connection.abandon()
      done(late)
    }
    const limit = setTimeout(giveUp, target.timeoutMs)
    signal.addEventListener('abort', giveUp)
    connection.send(request.method, requestBytes(request), new Collector(done))
  })
}

class Collector implements AnswerSink {
  readonly #done: (answer: CallAnswer) => void
  readonly #pieces: Uint8Array[] = []
  #status = 0

  constructor(done: (answer: CallAnswer) => void) {
    this.#done = done
  }

  sent(): void {}

  head(status: number, _headers: readonly Header[]): void {
    this.#status = status
  }

  data(bytes: Uint8Array): void {
    this.#pieces.push(bytes.slice())
  }

  end(): void {
    this.#done({ status: this.#status, json: parse(this.#pieces), error: undefined })
  }

  failed(error: Error): void {
    this.#done({ status: 0, json: undefined, error: error.message })
  }
}

function parse(pieces: readonly Uint8Array[]): unknown {
  try {
    return JSON.parse(Buffer.concat(pieces).toString())
  } catch {
    return undefined
  }
}
