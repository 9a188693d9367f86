/** Cases of a bench: the three generating endpoints, each streamed and unstreamed, and their chats. */
import { operations } from '../../../contract/index.ts'
import { RunClock } from '../clock.ts'
import { workerConnections } from '../http/worker-connections.ts'
import { warningText } from '../setup/chat-journal.ts'
import { chatPool } from '../setup/chat-pool.ts'
import type { LoadTarget } from '../target.ts'

export interface BenchPrompt {
  readonly text: string
  /** `max_tokens` of every request. */
  readonly maxTokens: number
}

export interface BenchCase {
  readonly name: string
  readonly surface: 'openai' | 'v3'
  readonly path: string
  readonly stream: boolean
  /** True if requests belong to a chat and carry an Idempotency-Key. */
  readonly stored: boolean
  readonly body: (model: string, prompt: BenchPrompt) => object
  /** Matches a whole answer, but not one that was cut or failed. */
  readonly whole: RegExp
}

/** A token limit may end an answer early. */
const nativeEnd = /^event: ?response\.(?:completed|incomplete)\s*$/m

export const benchCases: readonly BenchCase[] = [true, false].flatMap((stream): BenchCase[] => [
  {
    name: `compatible ${form(stream)}`,
    surface: 'openai',
    path: operations['openai.chat'].path,
    stream,
    stored: false,
    body: (model, { text, maxTokens }) => ({
      model,
      messages: [{ role: 'user', content: text }],
      max_tokens: maxTokens,
      stream,
    }),
    whole: stream ? /^data: ?\[DONE\]/m : /"finish_reason"/,
  },
  nativeCase('generate', 'v3.generate', stream),
  nativeCase('one-shot', 'v3.oneShot', stream),
])

function nativeCase(
  name: string,
  operation: 'v3.generate' | 'v3.oneShot',
  stream: boolean,
): BenchCase {
  return {
    name: `${name} ${form(stream)}`,
    surface: 'v3',
    path: operations[operation].path,
    stream,
    stored: operation === 'v3.generate',
    body: (model, { text, maxTokens }) => {
      return { model_id: model, input: text, max_tokens: maxTokens, stream }
    },
    whole: stream ? nativeEnd : /"output"/,
  }
}

function form(stream: boolean): string {
  return stream ? 'stream' : 'JSON'
}

/**
 * Creates the chats of a bench of v3 generate, passes on a function to the chat of the next turn of a connection,
 * and deletes them. A chat grows with every turn and a longer one costs more, so a bench in one chat never
 * reaches a steady state. Here a connection switches to a fresh chat after `turns` turns, and connections begin
 * at different turns: at any time the chats hold (turns − 1) / 2 earlier turns on average, from the first second
 * to the last.
 *
 * @param signal stops the creation of chats; existing ones are still deleted
 * @throws NoAnswerError if the service creates too few chats; those are deleted
 */
export async function withChats<Result>(
  target: LoadTarget,
  { chats, turns, connections }: { chats: number; turns: number; connections: number },
  signal: AbortSignal,
  use: (next: (connection: number) => string) => Promise<Result>,
) {
  const pool = chatPool(target, 'bench')
  const links = await workerConnections({ target }, signal)
  const clock = new RunClock(process.hrtime.bigint())
  const needs = { v3: chats, v2: 0, history: 0 }
  const failure = await pool.prepare(links.open(clock, true), needs, signal)
  await links.close()
  const ids = Array.from({ length: chats }).flatMap(() => pool.freshChat() ?? [])
  const current = Array.from({ length: connections }, (_, connection) => ({
    id: ids[connection % ids.length] ?? '',
    left: 1 + (connection % turns),
  }))
  let used = Math.min(connections, ids.length)
  /** Number of times that a connection stayed in its chat because no fresh one was left. */
  let exhausted = 0
  const next = (connection: number): string => {
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
  }
  const remove = async () => {
    const left = await pool.close(links.open(clock, true), cleanupMs)
    await links.close()
    return left
  }
  if (ids.length === chats) {
    let leftBehind = 0
    const result = await use(next).finally(async () => {
      leftBehind = await remove()
    })
    return { result, used: { turns, made: ids.length, exhausted, leftBehind } }
  }
  await remove()
  signal.throwIfAborted()
  const [first] = pool.warnings()
  const reason = failure ?? pool.warnings().map(warningText).join('; ')
  throw new NoAnswerError(reason, first?.status ?? 0)
}

/** Time limit of the cleanup, for a target that does not answer. */
const cleanupMs = 10_000

export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  readonly code = 'ENOANSWER'
  /** 0 without an answer. */
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}
