/**
 * The chats of a bench of v3 generate. A chat grows with every turn and a longer one costs more, so a bench
 * in one chat never reaches a steady state. Here a connection switches to a fresh chat after `turns` turns,
 * and connections begin at different turns: at any time the chats hold (turns − 1) / 2 earlier turns on
 * average, from the first second to the last.
 */
import { RunClock } from '../clock.ts'
import { WorkerConnections } from '../engine/worker-connections.ts'
import { warningText } from '../setup/chat-journal.ts'
import { ChatPool } from '../setup/chat-pool.ts'
import type { LoadTarget } from '../target.ts'
import { NoAnswerError } from './baseline.ts'

interface ChatSupply {
  /** The chat of the next turn of a connection. */
  next(connection: number): string
  /** Number of times that a connection stayed in its chat because no fresh one was left. */
  readonly exhausted: number
  readonly made: number
  /** Deletes them all. @returns number of chats left behind */
  remove(): Promise<number>
}

/**
 * @param signal stops the creation of chats; existing ones are still deleted
 * @throws NoAnswerError if the service creates too few chats; those are deleted
 */
export async function chatSupply(
  target: LoadTarget,
  { chats, turns, connections }: { chats: number; turns: number; connections: number },
  signal: AbortSignal,
): Promise<ChatSupply> {
  const pool = new ChatPool(target, 'bench')
  const links = await WorkerConnections.negotiate({ target }, signal)
  const clock = new RunClock(process.hrtime.bigint())
  await pool.prepare(links.open(clock, true), { v3: chats, v2: 0, history: 0 }, signal)
  await links.close()
  const remove = async () => {
    await pool.close(links.open(clock, true), cleanupMs)
    await links.close()
    return pool.remaining
  }
  const ids = Array.from({ length: chats }).flatMap(() => pool.freshChat() ?? [])
  if (ids.length < chats) {
    await remove()
    signal.throwIfAborted()
    const [first] = pool.warnings
    const reason = pool.failure ?? pool.warnings.map(warningText).join('; ')
    throw new NoAnswerError(reason, first?.status ?? 0)
  }
  const current = Array.from({ length: connections }, (_, connection) => ({
    id: ids[connection % ids.length] ?? '',
    left: 1 + (connection % turns),
  }))
  let used = Math.min(connections, ids.length)
  let exhausted = 0
  return {
    next(connection) {
      const chat = current[connection]
      if (chat === undefined) throw new RangeError(`no connection ${connection}`)
      if (chat.left === 0) {
        const id = ids[used]
        used += 1
        if (id === undefined) exhausted += 1
        else chat.id = id
        chat.left = turns
      }
      chat.left -= 1
      return chat.id
    },
    get exhausted() {
      return exhausted
    },
    made: ids.length,
    remove,
  }
}

/** Time limit of the cleanup, for a target that does not answer. */
const cleanupMs = 10_000
