import { findChat, openV2Chat, pageOf } from './chats.ts'
import {
  buildTurn,
  checkAssistant,
  checkFields,
  isBoolean,
  readInput,
  refuseWrongTypes,
  type Types,
  textsOf,
} from './generation.ts'
import {
  asJson,
  asList,
  asText,
  bodyOf,
  type Call,
  isJson,
  isText,
  type Json,
  Refusal,
  sendEvents,
  sendJson,
} from './http.ts'
import { type TurnResult, take } from './model.ts'
import { type Chat, replicationMs, type StoredMessage } from './state.ts'

export async function generate(call: Call): Promise<void> {
  const body = bodyOf(call)
  checkFields(call, body)
  const chat = findChat(call, body['chat_id'], 'v3')
  const key = call.request.headers['idempotency-key']
  if (!isText(key)) {
    throw new Refusal(428, 'the header Idempotency-Key is required')
  }
  checkAssistant(body)
  const input = readInput(body['input'])
  if (input.items.length === 0) throw new Refusal(422, 'input: required')
  const parent = asText(body['parent_id'])
  if (parent !== '' && !chat.runs.has(parent)) {
    throw new Refusal(422, 'parent_id: no such run in this chat')
  }
  const texts = [...chain(chat, parent), ...textsOf(input.items)]
  const turn = buildTurn(call, body, { texts, ...input, rag: body['rag'] })
  const earlier = chat.turns.get(key)
  if (earlier) return send(call, turn.stream, await earlier)
  const { promise, resolve } = Promise.withResolvers<TurnResult>()
  chat.turns.set(key, promise)
  const result = take(call, turn)
  const output = asList(result.response['output']).map(asJson)
  store(chat, [...input.items, ...output])
  const runTexts = [...textsOf(input.items), ...textsOf(output)]
  chat.runs.set(asText(result.response['id']), { parent, texts: runTexts })
  await send(call, turn.stream, result)
  resolve(result)
}

export async function oneShot(call: Call): Promise<void> {
  const body = bodyOf(call)
  checkFields(call, body)
  checkAssistant(body)
  const input = readInput(body['input'] ?? body['content'])
  if (input.items.length === 0) throw new Refusal(422, 'input: required')
  const earlier = asList(body['runs']).flatMap((run) => leaves(run))
  const texts = [...earlier, ...textsOf(input.items)]
  const rag = body['rag'] ?? 'agent'
  const searching = body['assistant_id'] === 'searcher' ? true : rag
  const turn = buildTurn(call, body, { texts, ...input, rag: searching })
  await send(call, turn.stream, take(call, turn))
}

/** All texts in a value, whatever its shape. */
function leaves(value: unknown): string[] {
  if (isText(value)) return [value]
  const inner = Array.isArray(value) ? value : Object.values(asJson(value))
  return inner.flatMap(leaves)
}

async function send(call: Call, stream: boolean, { response, events }: TurnResult): Promise<void> {
  if (stream) await sendEvents(call, events)
  else sendJson(call, 200, response)
}

function chain(chat: Chat, parent: string): string[] {
  const run = chat.runs.get(parent)
  return run === undefined ? [] : [...chain(chat, run.parent), ...run.texts]
}

function store(chat: Chat, items: readonly Json[]): void {
  for (const item of items) {
    chat.rows.push({ position: chat.rows.length + 1, item, storedAt: Date.now() })
  }
}

/** Newest first; a row is listed when it has been replicated. */
export function showHistory(call: Call): void {
  const { rules, query } = call
  const chat = findChat(call, query.get('chat_id'), 'v3')
  const ready = chat.rows.filter(({ storedAt }) => Date.now() - storedAt >= replicationMs)
  const list = ready.toReversed()
  const keyOf = ({ position }: (typeof list)[number]) => String(1e9 - position)
  const { rows, cursor } = pageOf(call, list, keyOf, 60, 50)
  const result = rows.map(({ item, position }) => {
    const copies = {
      ...(item['type'] === undefined ? {} : { item_type: item['type'] }),
      ...(item['status'] === undefined ? {} : { item_status: item['status'] }),
    }
    return rules.row({ position, ...copies, item, stored: { cursor: 'none' } })
  })
  sendJson(call, 200, { result, pagination: { cursor, of: ready.length } })
}

const types: Types = {
  assistant_id: isText,
  parent_id: isText,
  attachments: (value) => Array.isArray(value) && value.every(isJson),
  think: isBoolean,
  rag: (value) => isBoolean(value) || value === 'agent',
}

export function storeMessage(call: Call): void {
  const body = bodyOf(call)
  checkFields(call, body)
  if (!isText(body['content'])) throw new Refusal(422, 'content: required')
  refuseWrongTypes(types, body)
  const chat = openV2Chat(call, body['chat_id'])
  const parent = asText(body['parent_id'])
  if (parent !== '' && messageOf(chat, parent) === undefined) {
    throw new Refusal(422, 'parent_id: no such message')
  }
  sendJson(call, 201, addMessage(chat, body, 'user', body['content']))
}

/** The record of the message as the service shows it. */
function addMessage(chat: Chat, request: Json, role: 'user' | 'assistant', content: string): Json {
  const created_at = new Date().toISOString().replace('Z', '+00:00')
  const { model_id } = request
  const record = { id: crypto.randomUUID(), chat_id: chat.id, model_id, role, content, created_at }
  chat.messages.push({ record, request })
  return { ...record, attachments: null }
}

function messageOf(chat: Chat, id: unknown): StoredMessage | undefined {
  return chat.messages.find(({ record }) => record.id === id)
}

export function answerMessage(call: Call): void {
  const body = bodyOf(call)
  checkFields(call, body)
  const chat = findChat(call, body['chat_id'], 'v2')
  const parent = messageOf(chat, body['parent_id'])
  if (parent === undefined) throw new Refusal(422, 'parent_id: no such message')
  const { think, rag, assistant_id } = parent.request
  const texts = chainOf(chat, parent).map(({ record }) => record.content)
  const request = { ...body, stream: false, think, assistant_id }
  const { response } = take(call, buildTurn(call, request, { texts, images: 0, rag }))
  const output = asList(response['output']).map(asJson)
  const text = textsOf(output.filter(({ type }) => type === 'message')).join('')
  sendJson(call, 200, { message: addMessage(chat, body, 'assistant', text), took: 1 })
}

function chainOf(chat: Chat, message: StoredMessage): StoredMessage[] {
  const parent = messageOf(chat, message.request['parent_id'])
  return parent === undefined ? [message] : [...chainOf(chat, parent), message]
}
