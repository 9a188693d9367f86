import { defaultBodyLimits } from '../../client/body/limits.ts'
import { sizeText } from '../format.ts'

/**
 * Limits of one answer in the memory and time of the generator: those of the profile, under the same names.
 * They are far above any answer of the service; an endless answer exceeds them.
 */
export interface AnswerLimits {
  /** Bytes of an unstreamed body, decoded. */
  readonly bodyBytes: number
  /** Bytes of a stream, decoded. */
  readonly streamBytes: number
  /** Bytes of a stream in which no event ends: of a line, of an event, of comments. */
  readonly lineBytes: number
  /** Events of a stream. */
  readonly streamEvents: number
  /** Levels of nesting of the JSON of a body. */
  readonly jsonDepth: number
}

/** The defaults of the profile. */
export const answerLimits: AnswerLimits = { ...defaultBodyLimits, jsonDepth: 200 }

/** Bytes that one thread buffers for all its unfinished answers. */
const maxBufferedBytes = 128 * 1024 * 1024

/** Bytes that a worker buffers for all answers in flight. */
export interface BufferUsage {
  bytes: number
}

/** Counts the bytes and events of one answer, and checks its limits now and then. */
export class LimitMonitor {
  /** Bytes since the last event ended. */
  #unfinishedBytes = 0
  #size = 0
  #nextCheckAt: number
  /** Share of this answer in `buffers`. */
  #bufferedBytes = 0
  readonly #buffers: BufferUsage
  readonly limits: AnswerLimits

  constructor(hold: BufferUsage, limits: AnswerLimits = answerLimits) {
    this.#buffers = hold
    this.limits = limits
    this.#nextCheckAt = checkEvery
  }

  /** `event`: an event ended in these bytes. */
  add(bytes: number, event: boolean): void {
    this.#size += bytes
    this.#unfinishedBytes = event ? 0 : this.#unfinishedBytes + bytes
  }

  get isDue(): boolean {
    return this.#size >= this.#nextCheckAt
  }

  /** The limit that the answer exceeds, in words; undefined if none. */
  check(isStream: boolean, events: number): string | undefined {
    this.#nextCheckAt = this.#size + checkEvery
    this.#setBuffered(isStream ? this.#unfinishedBytes : this.#size)
    const { bodyBytes, streamBytes, lineBytes, streamEvents } = this.limits
    if (!isStream && this.#size > bodyBytes) return `a body of more than ${sizeText(bodyBytes)}`
    if (isStream && this.#unfinishedBytes > lineBytes) {
      return `a line or an event of more than ${sizeText(lineBytes)}`
    }
    if (isStream && this.#size > streamBytes) {
      return `a stream of more than ${sizeText(streamBytes)}`
    }
    if (events > streamEvents) return `a stream of more than ${streamEvents} events`
    if (this.#buffers.bytes > maxBufferedBytes) {
      return `unfinished answers of more than ${sizeText(maxBufferedBytes)} together`
    }
    return undefined
  }

  /** Releases the buffers of an answer that has ended. */
  release(): void {
    this.#setBuffered(0)
  }

  #setBuffered(bytes: number): void {
    this.#buffers.bytes += bytes - this.#bufferedBytes
    this.#bufferedBytes = bytes
  }
}

const checkEvery = 64 * 1024
