/** Disruption on the wire, requested by a prompt or a script to test the robustness of clients. */
import type { Reply } from '../http/call.ts'
import type { Disruption } from '../model/types.ts'
import { TimedValues } from '../runtime/timed-values.ts'
import type { SseBlock } from './sequence.ts'

/** Ends a connection before the end of its answer. */
export class DroppedConnection extends Error {
  override readonly name = 'DroppedConnection'
}

/**
 * The reply with its disruption, which affects a stream after a number of tokens and other answers at once.
 *
 * @throws DroppedConnection for an answer that is not streamed; the reason of the signal if a stalled client
 * disconnects
 */
export async function disrupted(reply: Reply, signal: AbortSignal): Promise<Reply> {
  const { disruption } = reply
  if (disruption === undefined) return reply
  if ('blocks' in reply) {
    const { blocks } = reply
    if (!(blocks instanceof TimedValues)) throw new TypeError('blocks of another kind')
    return { ...reply, blocks: new TimedValues(disruptedBlocks(blocks.steps, disruption, signal)) }
  }
  if (disruption.kind === 'drop') throw new DroppedConnection()
  if (disruption.kind === 'stall') await untilAborted(signal)
  const text = JSON.stringify(reply.body)
  return { ...reply, body: Buffer.from(text.slice(0, text.length / 2)) }
}

function* disruptedBlocks(
  steps: Iterable<SseBlock | Promise<void>>,
  { kind, afterTokens }: Disruption,
  signal: AbortSignal,
): Generator<SseBlock | Promise<void>> {
  let tokens = 0
  for (const step of steps) {
    const isNext = !(step instanceof Promise) && isToken(step.data)
    // After the last token comes the end of the answer.
    if (!(step instanceof Promise) && tokens === afterTokens && (isNext || tokens > 0)) {
      if (kind === 'drop') throw new DroppedConnection()
      if (kind === 'stall') yield untilAborted(signal)
      else yield { ...step, data: JSON.stringify(step.data).slice(0, -2) }
      tokens = Number.POSITIVE_INFINITY
    }
    if (isNext) tokens += 1
    yield step
  }
}

/** True for events of either surface that contain a token. */
function isToken(data: SseBlock['data']): boolean {
  if (typeof data === 'string') return false
  if ('delta' in data) return typeof data.delta === 'string'
  if (!('choices' in data) || !Array.isArray(data.choices)) return false
  return data.choices.some(({ delta = {} }) => {
    const [call] = delta.tool_calls ?? []
    return Boolean(delta.content || delta.refusal || call?.function?.arguments)
  })
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
