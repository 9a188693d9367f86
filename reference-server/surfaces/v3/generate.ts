/** POST /api/v3/message/generate (section 4.3): one run in a stored chat. */
import { type GenerateRequest, generateRequest } from '../../../harness/contract/requests/index.ts'
import { sleepUntil } from '../../clock.ts'
import { finalResponse } from '../../events/response-object.ts'
import { beginRun, type Run } from '../../events/run.ts'
import { type Call, type Reply, type Route, route } from '../../http/call.ts'
import { allowedTools, type BuiltinTool } from '../../model/tools.ts'
import type { Parts } from '../../parts.ts'
import type { Chat, LedgerScope, StoredRun } from '../../store/types.ts'
import { knownModel } from '../known-model.ts'
import { chainTo, inputItems, turnsOf } from './conversation.ts'
import { earlierRun, idempotencyKey } from './idempotency.ts'
import { liveEvents, replayedEvents } from './live-events.ts'
import { ownV3Chat } from './own-chat.ts'

const path = '/api/v3/message/generate'

export function generateRoutes(parts: Parts): readonly Route[] {
  return [
    route({ method: 'POST', path, body: generateRequest, handle: (call) => generate(parts, call) }),
  ]
}

/** Everything that can be refused is refused before the key is taken: such a request may be mended. */
async function generate(parts: Parts, call: Call<GenerateRequest>): Promise<Reply> {
  const { body, caller } = call
  const { store, clock } = parts
  const scope: LedgerScope = { owner: caller, endpoint: path, key: idempotencyKey(call.headers) }
  const chat = await ownV3Chat(store.chats, caller, body.chat_id)
  knownModel(body.model_id, 'model_id')
  const chain = chainTo(await store.history.runs(chat.id), body.parent_id)
  const earlier = await earlierRun(store.ledger, scope, body, clock.now())
  if (earlier !== undefined) return replay(parts, earlier, body.stream === true)
  const run = await begin(parts, scope, body, chain)
  const settled = parts.runs.track((signal) =>
    perform(parts, { run, scope, chat, input: inputItems(body.input), chain }, signal),
  )
  if (body.stream === true) {
    return { status: 200, blocks: liveEvents(parts, run, settled, call.signal) }
  }
  await settled
  return { status: 200, body: finalResponse(run) }
}

async function begin(
  parts: Parts,
  scope: LedgerScope,
  body: GenerateRequest,
  chain: readonly StoredRun[],
): Promise<Run> {
  const tools = allowedTools(body)
  const said = chain.flatMap((run) => [...turnsOf(run.input), ...turnsOf(run.output)])
  try {
    const generation = parts.model({
      turns: [...said, ...turnsOf(inputItems(body.input))],
      think: body.think === true,
      tools: tools.map(({ name }) => name),
      toolsRunBy: 'service',
      maxTokens: body.max_tokens ?? Number.POSITIVE_INFINITY,
      stop: [],
    })
    return beginRun(
      generation,
      {
        model: body.model_id,
        think: body.think === true,
        tools: tools.map(toolObject),
        maxTokens: body.max_tokens ?? null,
        temperature: body.temperature ?? 1,
        topP: body.top_p ?? 1,
        presencePenalty: body.presence_penalty ?? 0,
        previousRunId: body.parent_id == null ? null : (chain.at(-1)?.id ?? null),
      },
      parts,
    )
  } catch (error) {
    await parts.store.ledger.release(scope)
    throw error
  }
}

interface Performance {
  readonly run: Run
  readonly scope: LedgerScope
  readonly chat: Chat
  readonly input: StoredRun['input']
  readonly chain: readonly StoredRun[]
}

/**
 * A run goes on to its end whether or not its client stays, and is then stored in one piece: a turn
 * stands in the history whole or not at all. Only the end of the server interrupts it.
 */
async function perform(
  { store, clock }: Parts,
  { run, scope, chat, input, chain }: Performance,
  signal: AbortSignal,
): Promise<void> {
  try {
    await sleepUntil(clock, run.completedAt, signal)
    await store.history.append(chat.id, {
      id: run.id,
      parentId: chain.at(-1)?.id ?? null,
      createdAt: run.startedAt,
      input,
      output: finalResponse(run).output,
    })
    await store.ledger.finish(scope, run)
  } catch (error) {
    await store.ledger.release(scope)
    throw error
  }
}

function replay(parts: Parts, run: Run, stream: boolean): Reply {
  const headers = { 'idempotency-replayed': 'true' }
  return stream
    ? { status: 200, headers, blocks: replayedEvents(parts, run) }
    : { status: 200, headers, body: finalResponse(run) }
}

function toolObject({ name, description, parameters }: BuiltinTool): object {
  return { type: 'function', name, description, parameters, strict: false }
}
