import { defaultBodyLimits } from '../../client/index.ts'

/**
 * What one answer may take of the memory and the time of the generator: the limits of the profile, under
 * the same names. Far above what any answer of the service is; a target that goes on without end passes
 * them.
 */
export interface AnswerLimits {
  /** Bytes of a body in one piece, decoded. */
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

/** Bytes that one thread keeps of all its unfinished answers together. */
const maxHeldBytes = 128 * 1024 * 1024

/** `8 MiB`. */
export function sizeText(bytes: number): string {
  const mebi = bytes / (1024 * 1024)
  return mebi >= 1 ? `${Number(mebi.toFixed(1))} MiB` : `${bytes} bytes`
}

/** What the answers in flight of one thread hold together, in bytes. */
export interface AnswerHold {
  bytes: number
}

/** Counts what one answer brings, and looks at its limits once in a while. */
export class LimitWatch {
  /** Bytes since the last event ended. */
  #unfinished = 0
  #size = 0
  #checkAt: number
  /** Of `hold`. */
  #held = 0
  readonly #hold: AnswerHold
  readonly limits: AnswerLimits

  constructor(hold: AnswerHold, limits: AnswerLimits = answerLimits) {
    this.#hold = hold
    this.limits = limits
    this.#checkAt = checkEvery
  }

  /** `event`: an event ended in these bytes. */
  took(bytes: number, event: boolean): void {
    this.#size += bytes
    this.#unfinished = event ? 0 : this.#unfinished + bytes
  }

  get due(): boolean {
    return this.#size >= this.#checkAt
  }

  /** The limit that the answer passes, in words; undefined where it passes none. */
  check(isStream: boolean, events: number): string | undefined {
    this.#checkAt = this.#size + checkEvery
    this.#keep(isStream ? this.#unfinished : this.#size)
    const { bodyBytes, streamBytes, lineBytes, streamEvents } = this.limits
    if (!isStream && this.#size > bodyBytes) return `a body of more than ${sizeText(bodyBytes)}`
    if (isStream && this.#unfinished > lineBytes) {
      return `a line or an event of more than ${sizeText(lineBytes)}`
    }
    if (isStream && this.#size > streamBytes) {
      return `a stream of more than ${sizeText(streamBytes)}`
    }
    if (events > streamEvents) return `a stream of more than ${streamEvents} events`
    if (this.#hold.bytes > maxHeldBytes) {
      return `unfinished answers of more than ${sizeText(maxHeldBytes)} together`
    }
    return undefined
  }

  /** The answer is over, and holds nothing any more. */
  over(): void {
    this.#keep(0)
  }

  #keep(bytes: number): void {
    this.#hold.bytes += bytes - this.#held
    this.#held = bytes
  }
}

const checkEvery = 64 * 1024
