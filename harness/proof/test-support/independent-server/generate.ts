import { setTimeout as sleep } from 'node:timers/promises'
import { inputItems, refusalOf, textOf } from './asked.ts'
import type { Chat, Run } from './chats.ts'
import type { Json, Occasion, Repeat } from './hooks.ts'
import { type Call, Refusal, readJson, sendBlocks, sendJson } from './http.ts'
import { assistantA, lookUp } from './knowledge-base.ts'
import { answerTo } from './model.ts'
import { blockOf, eventsOf, responseTo, shortStream } from './response.ts'
import type { State, Turn } from './state.ts'
import { callOf, mayUse, outputOf, toolAsked } from './tools.ts'
import { chatFor } from './versions.ts'

/** Long enough that requests which race find each other; of a slow server, longer. */
const thinkingMs = 15
const thinkingGaps = 20

export async function generate(call: Call, state: State): Promise<void> {
  const { hooks, request } = call
  const { turns } = state
  const body = await readJson(call)
  const key = request.headers['idempotency-key']
  const chat = chatFor(state, body['chat_id'])
  const refusal = refusalOfKey(call, key) ?? refusalOf(call, body)
  if (refusal) {
    if (hooks.storesRefused) chat.items.push(...inputItems(body['input']))
    throw refusal
  }
  const streamed = body['stream'] === true
  const earlier = turns.get(
    hooks.turnOf(String(key), `${chat.id} ${JSON.stringify(body['input'])}`),
  )
  const occasion = earlier && occasionOf(earlier)
  if (earlier && occasion && hooks.remembers(occasion)) {
    return repeat(call, earlier, hooks.repeats(occasion))
  }
  const turn: Turn = { streamed, response: undefined, events: [] }
  if (key !== undefined)
    turns.set(hooks.turnOf(String(key), `${chat.id} ${JSON.stringify(body['input'])}`), turn)
  await run(call, state, chat, body, turn)
}

async function run(call: Call, state: State, chat: Chat, body: Json, turn: Turn): Promise<void> {
  const { hooks } = call
  const input = inputItems(body['input'])
  const messages = input.map(textOf)
  const parent = typeof body['parent_id'] === 'string' ? body['parent_id'] : undefined
  const everything = [...state.chats.values()].flatMap(({ runs }) =>
    runs.flatMap((run) => run.messages),
  )
  const before =
    parent === undefined && hooks.remembersChat
      ? chat.runs.flatMap((run) => run.messages)
      : chainOf(chat.runs, parent)
  const text = answerTo(
    hooks.sees([...before, ...messages], [...everything, ...messages], messages),
  )
  const tool = toolAsked(messages.at(-1) ?? '', body)
  const calls = tool ? [callOf(tool, {})] : []
  const final = responseTo(call, body, messages, text, calls)
  chat.runs.push({ id: String(final['id']), parent, messages })
  chat.items.push(...input, ...searchFor(state, body, messages))

  if (!turn.streamed) await sleep(Math.max(thinkingMs, thinkingGaps * hooks.gapMs))
  chat.items.push(...(final['output'] as Json[]))
  if (turn.streamed) {
    turn.events = hooks.events(eventsOf(final, hooks.response(final, true)), body)
    await sendBlocks(call, turn.events.map(blockOf), hooks.streamType)
  } else sendJson(call, 200, hooks.response(final, false))
  turn.response = final
}

async function repeat(call: Call, { response, events }: Turn, how: Repeat): Promise<void> {
  if (how === 'conflict' || response === undefined) {
    throw new Refusal(call.hooks.conflictStatus, 'this was asked before')
  }
  if (how === 'JSON') return sendJson(call, 200, response)
  const list = how === 'full replay' && events.length > 0 ? events : shortStream(response)
  await sendBlocks(call, list.map(blockOf), call.hooks.streamType)
}

function occasionOf({ streamed, response }: Turn): Occasion {
  if (response === undefined) return streamed ? 'in flight' : 'racing'
  return streamed ? 'finished stream' : 'finished JSON'
}

function refusalOfKey({ hooks }: Call, key: unknown): Refusal | undefined {
  const refuse = (why: string) => new Refusal(hooks.refusedStatus, why)
  if (key === undefined && hooks.checks('key of the turn')) return refuse('which turn is this?')
  if (key !== undefined && !hooks.takesKey(String(key))) return refuse('a strange key')
  return undefined
}

/** Inputs of a run and those before it, the oldest first. */
function chainOf(runs: readonly Run[], id: string | undefined): string[] {
  const run = runs.find((candidate) => candidate.id === id)
  return run ? [...chainOf(runs, run.parent), ...run.messages] : []
}

/**
 * Searches the knowledge base with `rag`, before the answer (section 4.4): the step and what it brought
 * stand in the history, and neither among the output nor in the words of the answer.
 */
function searchFor({ knowledgeBase }: State, body: Json, messages: readonly string[]): Json[] {
  const { rag, assistant_id: assistant } = body
  const isEnabled = rag === true || (typeof rag === 'object' && rag !== null)
  if (!isEnabled || assistant !== assistantA || !mayUse('look_up', body)) return []
  const words = messages.at(-1) ?? ''
  const step = callOf({ name: 'look_up' }, { words })
  return [step, outputOf(step, JSON.stringify(lookUp(knowledgeBase, words)))]
}
