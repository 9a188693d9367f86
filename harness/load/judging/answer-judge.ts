import {
  type Ending,
  type Exchange,
  header,
  isDeeperThan,
  type Judgement,
  type OperationId,
  parseJson,
  type WireRequest,
} from '../../../contract/index.ts'
import {
  createStreamJudge,
  judge,
  type StreamContents,
  type StreamedOperation,
  type StreamJudge,
} from '../../judges/index.ts'
import { quoted } from '../http/channel.ts'
import { isNonce } from '../plan/plan.ts'

export interface JudgedRequest {
  readonly operation: OperationId
  readonly form: 'stream' | 'json'
  readonly request: WireRequest
  /** The body of the request before it was encoded. */
  readonly json: unknown
  /** Another request with the same idempotency key is under way. */
  readonly race: boolean
}

type AnswerHead = Pick<NonNullable<Exchange['response']>, 'status' | 'headers'>

/**
 * Judges one answer while it arrives. A stream passes through the stream judges and is not kept; an answer in
 * one piece is kept until its end and judged as an exchange.
 */
export class AnswerJudge {
  /** Judge of a stream, which takes its bytes; undefined for an answer in one piece. */
  readonly stream: StreamJudge | undefined
  readonly #request: JudgedRequest
  readonly #head: AnswerHead
  readonly #pieces: Uint8Array[] = []

  constructor(question: JudgedRequest, head: AnswerHead, contents: StreamContents) {
    this.#request = question
    this.#head = head
    const { operation, json, form, race } = question
    const isStream = form === 'stream' && head.status === 200 && mediaType(head) === streamType
    this.stream =
      isStream && canStream(operation)
        ? createStreamJudge(operation, json, { contents, repeat: race })
        : undefined
  }

  get isStream(): boolean {
    return this.stream !== undefined
  }

  /** Keeps bytes of an answer in one piece. */
  keep(bytes: Uint8Array): void {
    // The buffer of a read is reused.
    this.#pieces.push(bytes.slice())
  }

  end(ending: Ending): Judgement {
    return this.stream?.end(ending) ?? judge(this.#exchange(ending))
  }

  /** An unstreamed answer; undefined if it is not JSON. */
  json(): unknown {
    return parseJson(Buffer.concat(this.#pieces).toString())
  }

  /** True for a body that starts like JSON and is nested deeper than `levels`. */
  isDeeperThan(levels: number): boolean {
    const text = Buffer.concat(this.#pieces).toString()
    return /^\s*[[{]/.test(text) && isDeeperThan(text, levels)
  }

  /** Describes status, media type and beginning of an unexpected answer. */
  describe(): string {
    const [first = new Uint8Array()] = this.#pieces
    const size = this.#pieces.reduce((sum, { length }) => sum + length, 0)
    const begin = Buffer.from(first.buffer, first.byteOffset, first.length).toString('utf8', 0, 200)
    const type = mediaType(this.#head)
    const body = size === 0 ? 'an empty body' : `${size} bytes that begin with ${quoted(begin)}`
    return `${this.#head.status} with ${type === '' ? 'no media type' : quoted(type)}, ${body}`
  }

  /** The media type in brackets, unless it is one of the two that the service uses. */
  unexpectedType(): string {
    const type = mediaType(this.#head)
    if (type === jsonType || type === streamType) return ''
    return ` (${/^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(type) ? type : 'no media type'})`
  }

  #exchange(ending: Ending): Exchange {
    const chunks = this.#pieces.map((bytes) => ({ atMs: ending.atMs, bytes }))
    return {
      id: '',
      labels: {
        scenario: 'load',
        ordinal: 1,
        attempt: 0,
        role: 'act',
        ...(this.#request.race ? { repeatOf: '' } : {}),
      },
      startedAt: '',
      request: this.#request.request,
      response: { ...this.#head, headersAtMs: 0, chunks },
      events: [],
      ending,
    }
  }
}

function canStream(operation: OperationId): operation is StreamedOperation {
  return operation === 'openai.chat' || operation === 'v3.generate' || operation === 'v3.oneShot'
}

const jsonType = 'application/json'
const streamType = 'text/event-stream'

function mediaType({ headers }: AnswerHead): string {
  const type = header(headers, 'content-type') ?? ''
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}

/**
 * Searches a text that arrives in fragments for nonces of other requests. All nonces of a run begin
 * alike and have one length, so a search for the beginning finds all of them.
 */
export class CrossTalkDetector {
  /** The first foreign nonce found. */
  foreignNonce: string | undefined
  readonly #prefix: string
  readonly #own: string
  readonly #first: string
  #tail = ''

  constructor(prefix: string, own: string) {
    this.#prefix = prefix
    this.#own = own
    this.#first = prefix.slice(0, 1)
  }

  add(fragment: string): void {
    if (this.foreignNonce !== undefined) return
    // Most fragments are words that contain no beginning of a nonce.
    if (this.#tail === '' && !fragment.includes(this.#first)) return
    const text = this.#tail + fragment
    const { length } = this.#own
    for (let at = text.indexOf(this.#prefix); at >= 0; at = text.indexOf(this.#prefix, at + 1)) {
      const found = text.slice(at, at + length)
      if (found.length < length) break
      if (found !== this.#own && isNonce(found)) {
        this.foreignNonce = found
        return
      }
    }
    const last = text.slice(-length + 1)
    const start = last.indexOf(this.#first)
    this.#tail = start < 0 ? '' : last.slice(start)
  }
}
