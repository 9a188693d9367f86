import { setTimeout as sleep } from 'node:timers/promises'
import { type Chat, type Chats, chatOf, type Run } from './chats.ts'
import type { Json, Occasion, Repeat, ServerEvent } from './hooks.ts'
import { type Call, Refusal, readJson, sendBlocks, sendJson } from './http.ts'
import { answerTo, piecesOf, tokensOf } from './model.ts'

/** A turn that came with an Idempotency-Key. */
export interface Turn {
  readonly streamed: boolean
  /** Undefined while it is under way. */
  response: Json | undefined
  events: readonly ServerEvent[]
}

export type Turns = Map<string, Turn>

/** Long enough that requests which race find each other. */
const thinkingMs = 15

export async function generate(call: Call, chats: Chats, turns: Turns): Promise<void> {
  const { hooks, request } = call
  const body = await readJson(call)
  const key = request.headers['idempotency-key']
  const chat = chatOf(chats, body['chat_id'])
  const refusal = refusalOfKey(call, key) ?? refusalOf(call, body)
  if (refusal) {
    if (hooks.storesRefused) chat.items.push(...inputItems(body['input']))
    throw refusal
  }
  const streamed = body['stream'] === true
  const known = turns.get(hooks.turnOf(String(key), `${chat.id} ${JSON.stringify(body['input'])}`))
  const occasion = known && occasionOf(known)
  if (known && occasion && hooks.remembers(occasion)) {
    return repeat(call, known, hooks.repeats(occasion))
  }
  const turn: Turn = { streamed, response: undefined, events: [] }
  if (key !== undefined)
    turns.set(hooks.turnOf(String(key), `${chat.id} ${JSON.stringify(body['input'])}`), turn)
  await run(call, chats, chat, body, turn)
}

/** Generation without a chat: nothing of it is kept. */
export async function answerOnce(call: Call): Promise<void> {
  const { hooks } = call
  const body = await readJson(call)
  const refusal = refusalOf(call, body)
  if (refusal) throw refusal
  const runs = Array.isArray(body['runs']) ? body['runs'] : []
  const before = runs.flatMap((run: Json) => inputItems(run['input'] ?? []).map(textOf))
  const said = inputItems(body['input'] ?? body['content']).map(textOf)
  const final = responseTo(call, body, said, answerTo([...before, ...said]))
  if (body['stream'] === true) {
    const events = hooks.events(eventsOf(final, hooks.response(final, true)), body)
    await sendBlocks(call, events.map(blockOf), hooks.streamType)
  } else sendJson(call, 200, hooks.response(final, false))
}

async function run(call: Call, chats: Chats, chat: Chat, body: Json, turn: Turn): Promise<void> {
  const { hooks } = call
  const input = inputItems(body['input'])
  const said = input.map(textOf)
  const parent = typeof body['parent_id'] === 'string' ? body['parent_id'] : undefined
  const everything = [...chats.values()].flatMap(({ runs }) => runs.flatMap((run) => run.said))
  const before =
    parent === undefined && hooks.remembersChat
      ? chat.runs.flatMap((run) => run.said)
      : chainOf(chat.runs, parent)
  const text = answerTo(hooks.sees([...before, ...said], [...everything, ...said], said))
  const final = responseTo(call, body, said, text)
  chat.runs.push({ id: String(final['id']), parent, said })
  chat.items.push(...input)

  if (!turn.streamed) await sleep(thinkingMs)
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

function refusalOf({ hooks }: Call, body: Json): Refusal | undefined {
  const refuse = (why: string) => new Refusal(hooks.refusedStatus, why)
  const both = body['include_tools'] !== undefined && body['exclude_tools'] !== undefined
  if (both && hooks.checks('both tool lists')) return refuse('one list of tools only')
  if (!hooks.knows(body['model_id'])) return refuse('there is no such model')
  const wrong = Object.entries(types).find(([field, type]) => {
    const value = body[field]
    return value !== undefined && value !== null && !type.includes(kindOf(value))
  })
  return wrong && hooks.checks('types of a generation') ? refuse(`bad ${wrong[0]}`) : undefined
}

const types: Readonly<Record<string, readonly string[]>> = {
  stream: ['boolean'],
  assistant_id: ['string'],
  model_id: ['string'],
  input: ['string', 'array'],
  parent_id: ['string'],
  runs: ['array'],
  think: ['boolean'],
  rag: ['boolean', 'string', 'object'],
  include_tools: ['array'],
  exclude_tools: ['array'],
  max_tokens: ['number'],
  temperature: ['number'],
  top_p: ['number'],
  presence_penalty: ['number'],
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

function inputItems(input: unknown): Json[] {
  if (!Array.isArray(input)) {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: `${input}` }] }]
  }
  return input.map((item: Json) => ({ type: 'message', ...item }))
}

export function textOf(item: Json): string {
  const parts = Array.isArray(item['content']) ? item['content'] : []
  return parts.map((part: Json) => String(part['text'] ?? '')).join('')
}

/** What a run and those before it said, the oldest first. */
function chainOf(runs: readonly Run[], id: string | undefined): string[] {
  const run = runs.find((candidate) => candidate.id === id)
  return run ? [...chainOf(runs, run.parent), ...run.said] : []
}

function responseTo({ hooks }: Call, body: Json, said: readonly string[], text: string): Json {
  const asked = typeof body['max_tokens'] === 'number' ? body['max_tokens'] : undefined
  const limit = hooks.maxTokens(asked)
  const tokens = tokensOf(text)
  const cut = limit !== undefined && tokens.length > limit
  const answer = cut ? tokens.slice(0, limit).join('') : text
  const status = cut ? 'incomplete' : 'completed'
  const content = [{ type: 'output_text', text: answer, annotations: [] }]
  const message = { id: `m-${crypto.randomUUID()}`, type: 'message', role: 'assistant', status }
  const thought =
    body['think'] === true
      ? 'First things first: what was asked, and what may be left out of the answer to it.'
      : undefined
  const summary = { id: `t-${crypto.randomUUID()}`, type: 'reasoning', summary: [] }
  const reasoning = { ...summary, content: [{ type: 'reasoning_text', text: thought }] }
  const input = tokensOf(said.join(' ')).length
  const output = tokensOf(answer).length
  return {
    id: hooks.newId('response'),
    object: 'response',
    status,
    created_at: Math.floor(Date.now() / 1000),
    model: body['model_id'] ?? 'svc-main-model',
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    output: [...(thought ? [reasoning] : []), { ...message, content }],
    usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
    region: 'north',
  }
}

/** The minimal stream: no sequence numbers, no parts, and deltas that do not say of which item. */
function eventsOf(final: Json, shown: Json): ServerEvent[] {
  const items = (final['output'] as Json[]).flatMap((item, at) => {
    const [part] = item['content'] as Json[]
    const name = item['type'] === 'reasoning' ? 'reasoning_text' : 'output_text'
    const added = { ...item, content: [], ...(item['status'] ? { status: 'in_progress' } : {}) }
    return [
      event('response.output_item.added', { output_index: at, item: added }),
      ...piecesOf(String(part?.['text'])).map((delta) =>
        event(`response.${name}.delta`, { delta }),
      ),
    ]
  })
  return [event('response.created', { response: begun(final) }), ...items, ended(shown)]
}

function shortStream(response: Json): ServerEvent[] {
  return [event('response.created', { response: begun(response) }), ended(response)]
}

function begun(final: Json): Json {
  return { ...final, status: 'in_progress', incomplete_details: null, output: [], usage: null }
}

function ended(final: Json): ServerEvent {
  return event(`response.${final['status']}`, { response: final })
}

function event(name: string, data: Json): ServerEvent {
  return { name, data: { type: name, ...data } }
}

/** No space after the colon; the JSON over several lines where it is long. */
function blockOf({ name, data }: ServerEvent): readonly string[] {
  const text = 'response' in data ? JSON.stringify(data, null, 1) : JSON.stringify(data)
  return [`event:${name}`, ...text.split('\n').map((line) => `data:${line}`)]
}
