/** A server that pauses once, which a load generator must not leave out of its figures. */
import { type Clock, sleepUntil } from './clock.ts'

export interface FreezeOptions {
  readonly forMs: number
  /** Time after the first answer. */
  readonly atMs: number
}

/** Wait before anything leaves the server; undefined if there is none. */
export type Pause = (signal: AbortSignal) => Promise<void> | undefined

export const noPause: Pause = () => undefined

export function pauseOnce(clock: Clock, { forMs, atMs }: FreezeOptions): Pause {
  let firstAnswerAt: number | undefined
  return (signal) => {
    const now = clock.now()
    firstAnswerAt ??= now
    const begins = firstAnswerAt + atMs
    return now >= begins && now < begins + forMs
      ? sleepUntil(clock, begins + forMs, signal)
      : undefined
  }
}

export async function* withPause(
  chunks: AsyncIterable<Uint8Array>,
  pause: Pause,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    const wait = pause(signal)
    if (wait !== undefined) await wait
    yield chunk
  }
}
