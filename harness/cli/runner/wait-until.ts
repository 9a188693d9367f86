import { setTimeout as delay } from 'node:timers/promises'
import type { PreparedJob } from './runner.ts'

/** Asks every `pollMs` whether the shards of a job have ended, until its signal or its time is over. */
export async function waitUntil(
  isDone: () => Promise<boolean>,
  { signal, timeoutMs }: Pick<PreparedJob, 'signal' | 'timeoutMs'>,
  pollMs: number,
): Promise<void> {
  const until = performance.now() + timeoutMs
  while (!signal.aborted && performance.now() < until) {
    if (await isDone()) return
    await delay(pollMs, undefined, { signal }).catch(() => {})
  }
}
