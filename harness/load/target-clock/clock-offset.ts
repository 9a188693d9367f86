/** An answer with a Date header, by the local clock. Milliseconds since the epoch. */
export interface DatedAnswer {
  readonly sentMs: number
  readonly receivedMs: number
  /** Date of the header: whole seconds, rounded down (RFC 9110, section 6.6.1). */
  readonly dateMs: number
}

/** Clock of the target minus the local clock, in milliseconds. */
export interface ClockOffset {
  readonly offsetMs: number
  /** The true offset is within so many milliseconds of it. */
  readonly uncertaintyMs: number
  readonly requests: number
}

interface Interval {
  readonly low: number
  readonly high: number
}

/** Offsets that every answer allows: a Date header was set between sending and receiving. */
export function offsetInterval(answers: readonly DatedAnswer[]): Interval {
  return {
    low: Math.max(...answers.map(({ dateMs, receivedMs }) => dateMs - receivedMs)),
    high: Math.min(...answers.map(({ dateMs, sentMs }) => dateMs + 1000 - sentMs)),
  }
}

export interface OffsetProbe {
  /** Sends one request; null where its answer has no Date header. */
  readonly ask: () => Promise<DatedAnswer | null>
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

const rounds = 4
const requestsPerRound = 9
/** Precision at which further requests tell nothing: header and network are not more exact. */
const enoughMs = 2

/**
 * Offset of the target's clock by the Date headers of its answers: each round spreads requests over the
 * time in which the next second of the target may begin, so that the interval becomes a tenth of what it
 * was, down to the round-trip time. Null where the target sends no Date header, or where several clocks
 * answer.
 */
export async function measureOffset({ ask, now, sleep }: OffsetProbe): Promise<ClockOffset | null> {
  const answers: DatedAnswer[] = []
  let interval: Interval = { low: 0, high: 1000 }
  for (let round = 0; round < rounds; round++) {
    const width = interval.high - interval.low
    // The second begins for the earliest possible clock first.
    const second = 1000 * Math.ceil((now() + interval.high) / 1000)
    const first = answers.length === 0 ? now() : second - interval.high
    for (let request = 1; request <= requestsPerRound; request++) {
      const at = first + (width * request) / (requestsPerRound + 1)
      await sleep(Math.max(0, at - now()))
      const answer = await ask()
      if (answer === null) return null
      answers.push(answer)
    }
    interval = offsetInterval(answers)
    if (interval.low > interval.high) return null
    if (interval.high - interval.low <= 2 * enoughMs) break
  }
  return {
    offsetMs: (interval.low + interval.high) / 2,
    uncertaintyMs: (interval.high - interval.low) / 2,
    requests: answers.length,
  }
}
