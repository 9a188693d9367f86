import { findChat, openV2Chat } from './chats.ts'
import {
  buildTurn,
  checkFields,
  isBoolean,
  refuseWrongTypes,
  type Types,
  take,
  textsOf,
} from './generation.ts'
import { bodyOf, type Call, Refusal, sendJson } from './http.ts'
import { asJson, asList, asText, isJson, isText, type Json } from './json.ts'
import type { Chat, StoredMessage } from './state.ts'

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
  if (parent !== '' && !chat.messages.some(({ id }) => id === parent)) {
    throw new Refusal(422, 'parent_id: no such message')
  }
  const message = newMessage(chat, body, 'user', body['content'])
  chat.messages.push(message)
  sendJson(call, 201, publicRecord(message))
}

function newMessage(
  chat: Chat,
  body: Json,
  role: 'user' | 'assistant',
  content: string,
): StoredMessage {
  return {
    id: crypto.randomUUID(),
    chat_id: chat.id,
    model_id: body['model_id'],
    role,
    content,
    created_at: new Date().toISOString().replace('Z', '+00:00'),
    parent: asText(body['parent_id']),
    rag: body['rag'],
    think: body['think'],
    assistant: body['assistant_id'],
  }
}

function publicRecord({ id, chat_id, model_id, role, content, created_at }: StoredMessage): Json {
  return { id, chat_id, model_id, role, content, created_at, attachments: null }
}

export function answerMessage(call: Call): void {
  const body = bodyOf(call)
  checkFields(call, body)
  const chat = findChat(call, body['chat_id'], 'v2')
  const parent = chat.messages.find(({ id }) => id === body['parent_id'])
  if (parent === undefined) throw new Refusal(422, 'parent_id: no such message')
  const texts = chain(chat, parent).map(({ content }) => content)
  const request = { ...body, stream: false, think: parent.think, assistant_id: parent.assistant }
  const planned = buildTurn(call, request, { surface: 'v2', texts, images: 0, rag: parent.rag })
  const { response } = take(call, planned)
  const output = asList(response['output']).map(asJson)
  const text = textsOf(output.filter(({ type }) => type === 'message')).join('')
  const message = newMessage(chat, body, 'assistant', text)
  chat.messages.push(message)
  sendJson(call, 200, { message: publicRecord(message), took: 1 })
}

function chain(chat: Chat, message: StoredMessage): StoredMessage[] {
  const parent = chat.messages.find(({ id }) => id === message.parent)
  return parent === undefined ? [message] : [...chain(chat, parent), message]
}
