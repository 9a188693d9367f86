import type { Session } from '../session/session.ts'

/** Reads until `isEnough`, as long as a change may take; of several endpoints, each must show it. */
export function poll<Result>(
  session: Session,
  read: () => Promise<Result>,
  isEnough: (result: Result) => boolean,
): Promise<Result> {
  return pollEndpoints(session, read, isEnough, growingDelays(session.settling.ms))
}

/** Polls as `poll` does, with the delays between the reads of an endpoint. */
export async function pollEndpoints<Result>(
  session: Session,
  read: () => Promise<Result>,
  isEnough: (result: Result) => boolean,
  delays: readonly number[],
): Promise<Result> {
  let waitedMs = 0
  const timer = {
    sleep(ms: number) {
      waitedMs += ms
      return session.sleep(ms)
    },
  }
  const [first = read, ...others] = session.polls(read)
  let result = await readRepeatedly(first, isEnough, timer, delays)
  for (const other of others) {
    if (!isEnough(result)) break
    result = await readRepeatedly(other, isEnough, timer, delays)
  }
  if (waitedMs > 0) session.settling.note(waitedMs, isEnough(result))
  return result
}

/**
 * Tests if a read still shows what an earlier one has shown. Others may read an older state for as long as a
 * change may take, so that only later reads count: no more than one of six may lack it.
 */
export async function staysVisible<Result>(
  session: Pick<Session, 'settling' | 'sleep'>,
  read: () => Promise<Result>,
  isShown: (result: Result) => boolean,
): Promise<boolean> {
  if (isShown(await read())) return true
  await session.sleep(session.settling.ms)
  let missing = 0
  for (let reads = 0; reads < 6; reads += 1) if (!isShown(await read())) missing += 1
  return missing < 2
}

/** Reads, and again after each delay, until `isEnough`. Returns the last result. */
export async function readRepeatedly<Result>(
  read: () => Promise<Result>,
  isEnough: (result: Result) => boolean,
  timer: { sleep(ms: number): Promise<void> },
  delays: readonly number[],
): Promise<Result> {
  let result = await read()
  for (const ms of delays) {
    if (isEnough(result)) break
    await timer.sleep(ms)
    result = await read()
  }
  return result
}

// Delays are counted, not measured, so that a recording runs the same way.

/** Equal delays that reach a time; one if it is short. */
export function equalDelays(totalMs: number): readonly number[] {
  return Array<number>(Math.ceil(totalMs / pollMs)).fill(Math.min(pollMs, totalMs))
}

/** Growing delays that add up to a time. */
function growingDelays(totalMs: number): readonly number[] {
  const delays: number[] = []
  let remaining = totalMs
  for (let next = 50; remaining > 0; next = Math.min(next * 2, 500)) {
    delays.push(Math.min(next, remaining))
    remaining -= next
  }
  return delays
}

export const pollMs = 250
