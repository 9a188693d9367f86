import { findChat, openV2Chat, pageOf } from './chats.ts'
import {
  buildTurn,
  checkAssistant,
  generationBody,
  messageTypes,
  readInput,
  refuseWrongTypes,
  textsOf,
} from './generation.ts'
import {
  asJson,
  asList,
  asText,
  type Call,
  isText,
  type Json,
  Refusal,
  sendEvents,
  sendJson,
} from './http.ts'
import { type TurnResult, take } from './model.ts'
import { type Chat, replicationMs, type StoredMessage } from './state.ts'

export async function generate(call: Call): Promise<void> {
  const body = generationBody(call)
  const chat = findChat(call, body['chat_id'], 'v3')
  const key = call.request.headers['idempotency-key']
  if (!isText(key)) throw new Refusal(428, 'the header Idempotency-Key is required')
  checkAssistant(body)
  const input = readInput(body['input'])
  const parent = asText(body['parent_id'])
  if (parent !== '' && !chat.runs.has(parent)) {
    throw new Refusal(422, 'parent_id: no such run in this chat')
  }
  const own = textsOf(input.items)
  const texts = [...chain(chat, parent), ...own]
  const turn = buildTurn(call, body, { texts, ...input, rag: body['rag'] })
  const earlier = chat.turns.get(key)
  if (earlier) return send(call, turn.stream, await earlier)
  const { promise, resolve } = Promise.withResolvers<TurnResult>()
  chat.turns.set(key, promise)
  const result = take(call, turn)
  const output = asList(result.response['output']).map(asJson)
  for (const item of [...input.items, ...output]) {
    chat.rows.push({ position: chat.rows.length + 1, item, storedAt: Date.now() })
  }
  chat.runs.set(asText(result.response['id']), { parent, texts: [...own, ...textsOf(output)] })
  await send(call, turn.stream, result)
  resolve(result)
}

export async function oneShot(call: Call): Promise<void> {
  const body = generationBody(call)
  checkAssistant(body)
  const input = readInput(body['input'] ?? body['content'])
  const texts = [...leaves(asList(body['runs'])), ...textsOf(input.items)]
  const rag = body['assistant_id'] === 'searcher' ? true : (body['rag'] ?? 'agent')
  const turn = buildTurn(call, body, { texts, ...input, rag })
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

/** Newest first; a row is listed when it has been replicated. */
export function showHistory(call: Call): Json {
  const chat = findChat(call, call.query.get('chat_id'), 'v3')
  const ready = chat.rows.filter(({ storedAt }) => Date.now() - storedAt >= replicationMs)
  const keyOf = ({ position }: (typeof ready)[number]) => String(1e9 - position)
  const { rows, cursor } = pageOf(call, ready.toReversed(), keyOf, 60, 50)
  const result = rows.map(({ item, position }) => {
    const { type, status } = item
    const copies = {
      ...(type !== undefined && { item_type: type }),
      ...(status !== undefined && { item_status: status }),
    }
    return call.rules.row({ position, ...copies, item, stored: { cursor: 'none' } })
  })
  return { result, pagination: { cursor, of: ready.length } }
}

export function storeMessage(call: Call): void {
  const body = generationBody(call)
  if (!isText(body['content'])) throw new Refusal(422, 'content: required')
  refuseWrongTypes(messageTypes, body)
  const chat = openV2Chat(call, body['chat_id'])
  if (asText(body['parent_id']) !== '') parentIn(chat, body['parent_id'])
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

function parentIn(chat: Chat, id: unknown): StoredMessage {
  const parent = messageOf(chat, id)
  if (parent === undefined) throw new Refusal(422, 'parent_id: no such message')
  return parent
}

export function answerMessage(call: Call): Json {
  const body = generationBody(call)
  const chat = findChat(call, body['chat_id'], 'v2')
  const parent = parentIn(chat, body['parent_id'])
  const { think, rag, assistant_id } = parent.request
  const texts = chainOf(chat, parent).map(({ record }) => record.content)
  const request = { ...body, stream: false, think, assistant_id }
  const { response } = take(call, buildTurn(call, request, { texts, images: 0, rag }))
  const output = asList(response['output']).map(asJson)
  const text = textsOf(output.filter(({ type }) => type === 'message')).join('')
  return { message: addMessage(chat, body, 'assistant', text), took: 1 }
}

function chainOf(chat: Chat, message: StoredMessage): StoredMessage[] {
  const parent = messageOf(chat, message.request['parent_id'])
  return parent === undefined ? [message] : [...chainOf(chat, parent), message]
}
