import type {
  Ending,
  Exchange,
  Header,
  Judgement,
  OperationId,
  WireRequest,
} from '../../contract/index.ts'
import {
  createStreamJudge,
  judge,
  type StreamedOperation,
  type StreamJudge,
  type StreamWatcher,
} from '../../judges/index.ts'

/** Of an answer in one piece, or of one that was not asked for; more is not judged. */
const bodyLimit = 8 * 1024 * 1024

export interface Question {
  readonly operation: OperationId
  readonly form: 'stream' | 'json'
  readonly request: WireRequest
  /** The body of the request before it was encoded. */
  readonly json: unknown
  /** Another request with the same idempotency key is under way. */
  readonly race: boolean
}

/**
 * Judges one answer while it arrives. A stream goes through the stream judges and is not kept; what
 * comes in one piece is kept until its end, and judged as an exchange.
 */
export class AnswerReader {
  readonly isStream: boolean
  readonly #question: Question
  readonly #head: { readonly status: number; readonly headers: readonly Header[] }
  readonly #stream: StreamJudge | undefined
  readonly #kept: Uint8Array[] = []
  #size = 0

  constructor(
    question: Question,
    head: { readonly status: number; readonly headers: readonly Header[] },
    watcher: StreamWatcher,
  ) {
    this.#question = question
    this.#head = head
    const { operation, json } = question
    this.isStream =
      question.form === 'stream' &&
      head.status === 200 &&
      isEventStream(head) &&
      canStream(operation)
    this.#stream =
      this.isStream && canStream(operation)
        ? createStreamJudge(operation, json, { watcher, repeat: question.race })
        : undefined
  }

  push(bytes: Uint8Array, atMs: number): void {
    if (this.#stream !== undefined) this.#stream.push({ bytes, atMs })
    else if (this.#size + bytes.length <= bodyLimit) {
      this.#size += bytes.length
      // The memory of a read is used again.
      this.#kept.push(bytes.slice())
    }
  }

  end(ending: Ending): Judgement {
    return this.#stream?.end(ending) ?? judge(this.#exchange(ending))
  }

  /** An answer in one piece; undefined where it is no JSON. */
  json(): unknown {
    try {
      return JSON.parse(Buffer.concat(this.#kept).toString())
    } catch {
      return undefined
    }
  }

  text(): string {
    return Buffer.concat(this.#kept).toString()
  }

  #exchange(ending: Ending): Exchange {
    const chunks = this.#kept.map((bytes) => ({ atMs: ending.atMs, bytes }))
    return {
      id: '',
      labels: {
        scenario: 'load',
        ordinal: 1,
        attempt: 0,
        role: 'act',
        ...(this.#question.race ? { repeatOf: '' } : {}),
      },
      startedAt: '',
      request: this.#question.request,
      response: { ...this.#head, headersAtMs: 0, chunks },
      events: [],
      ending,
    }
  }
}

function canStream(operation: OperationId): operation is StreamedOperation {
  return operation === 'openai.chat' || operation === 'v3.generate' || operation === 'v3.oneShot'
}

function isEventStream({ headers }: { readonly headers: readonly Header[] }): boolean {
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  return (type.split(';')[0] ?? '').trim().toLowerCase() === 'text/event-stream'
}
