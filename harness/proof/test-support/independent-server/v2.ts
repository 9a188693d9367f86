import { areNames } from './asked.ts'
import type { Json } from './hooks.ts'
import { type Call, Refusal, readJson, sendJson } from './http.ts'
import { assistantA, assistantB, lookUp } from './knowledge-base.ts'
import { answerTo } from './model.ts'
import type { State, V2Chat, V2Message } from './state.ts'
import { toolAsked } from './tools.ts'
import { v2ChatFor } from './versions.ts'

/** Creates a v2 chat by a route that only the profile of this server shows, not the document. */
export async function createV2Chat(call: Call, { v2Chats }: State): Promise<void> {
  const { label } = await readJson(call)
  if (typeof label !== 'string') throw new Refusal(422, 'a label is wanted')
  const room = { id: crypto.randomUUID(), messages: new Map() }
  v2Chats.set(room.id, room)
  sendJson(call, 201, { id: crypto.randomUUID(), opened: [{ key: room.id, label }] })
}

export async function storeMessage(call: Call, state: State): Promise<void> {
  const body = await readJson(call)
  demand(body, ['chat_id', 'content', 'model_id'], messageTypes)
  const room = v2ChatFor(state, body['chat_id'])
  const assistant = textIn(body, 'assistant_id')
  if (assistant !== undefined && ![assistantA, assistantB].includes(assistant)) {
    throw new Refusal(400, 'no such assistant, and no such instructions')
  }
  for (const file of Array.isArray(body['attachments']) ? body['attachments'] : []) {
    const isStored = state.files.some(({ record }) => record['id'] === (file as Json)['id'])
    if (!isStored) throw new Refusal(400, 'no such file')
  }
  const parent = textIn(body, 'parent_id')
  if (parent !== undefined && !room.messages.has(parent)) throw new Refusal(400, 'no such parent')
  const message = {
    id: crypto.randomUUID(),
    parent,
    content: String(body['content']),
    assistant,
    rag: body['rag'],
  }
  room.messages.set(message.id, message)
  sendJson(call, 202, {
    seen_by: [],
    id: message.id,
    chat_id: room.id,
    model_id: body['model_id'],
    role: 'user',
    content: message.content,
    created_at: new Date().toISOString().replace('Z', '000+00:00'),
  })
}

export async function answerMessage(call: Call, state: State): Promise<void> {
  const body = await readJson(call)
  demand(body, ['chat_id', 'parent_id', 'model_id'], generationTypes)
  const { include_tools: only, exclude_tools: without } = body
  if (only !== undefined) throw new Refusal(405, 'include_tools is not there yet')
  const room = v2ChatFor(state, body['chat_id'])
  const message = room.messages.get(String(body['parent_id']))
  if (message === undefined) throw new Refusal(400, 'there is no such message')
  const excluded: readonly unknown[] = Array.isArray(without) ? without : []
  const tool = toolAsked(message.content, { exclude_tools: excluded })
  const found =
    message.rag === true && message.assistant === assistantA && !excluded.includes('look_up')
      ? lookUp(state.knowledgeBase, message.content)
      : []
  const [best] = found
  const text = best ? `It is written: ${best.sentence}` : answerTo(chainOf(room, message))
  sendJson(call, 200, {
    message: { kind: 'reply', content: tool ? `${tool.result} ${text}` : text },
    steps: tool ? [{ used: tool.name }] : [],
  })
}

/** Messages from the beginning of the chain to this message. */
function chainOf(room: V2Chat, { parent, content }: V2Message): string[] {
  const before = parent === undefined ? undefined : room.messages.get(parent)
  return [...(before ? chainOf(room, before) : []), content]
}

const isText = (value: unknown) => typeof value === 'string'
const messageTypes: Readonly<Record<string, (value: unknown) => boolean>> = {
  chat_id: isText,
  content: isText,
  model_id: isText,
  assistant_id: isText,
  parent_id: isText,
  think: (value) => typeof value === 'boolean',
  rag: (value) => typeof value === 'boolean' || value === 'agent',
  attachments: (value) => Array.isArray(value) && value.every((one) => typeof one === 'object'),
}
const generationTypes: typeof messageTypes = {
  chat_id: isText,
  parent_id: isText,
  model_id: isText,
  exclude_tools: areNames,
  include_tools: areNames,
}

function demand(body: Json, required: readonly string[], types: typeof messageTypes): void {
  const missing = required.find((field) => body[field] === undefined)
  if (missing) throw new Refusal(406, `${missing} is missing`)
  const wrong = Object.entries(types).find(
    ([field, fits]) => body[field] !== undefined && !fits(body[field]),
  )
  if (wrong) throw new Refusal(406, `${wrong[0]} is strange`)
}

function textIn(body: Json, field: string): string | undefined {
  const value = body[field]
  return typeof value === 'string' ? value : undefined
}
