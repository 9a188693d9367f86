import { randomUUID } from 'node:crypto'
import {
  asJson,
  asList,
  asText,
  bodyOf,
  type Call,
  isJson,
  isText,
  isTextList,
  type Json,
  Refusal,
  sendChunks,
} from './http.ts'
import { type Answer, runModel, tokensOf, toolNames } from './model.ts'
import { assistants, type KnowledgeBase } from './state.ts'

type Types = Readonly<Record<string, (value: unknown) => boolean>>

const isBoolean = (value: unknown) => typeof value === 'boolean'
const isNumber = (value: unknown): value is number => typeof value === 'number'

const generationTypes: Types = {
  stream: isBoolean,
  think: isBoolean,
  chat_id: isText,
  model_id: isText,
  parent_id: isText,
  input: (value) => isText(value) || (Array.isArray(value) && value.every(isJson)),
  rag: (value) => isBoolean(value) || value === 'agent' || isJson(value),
  include_tools: isTextList,
  exclude_tools: isTextList,
  max_tokens: Number.isInteger,
  temperature: isNumber,
  top_p: isNumber,
  presence_penalty: isNumber,
  runs: Array.isArray,
  kb_id: isText,
  content: isText,
}

export const messageTypes: Types = {
  assistant_id: isText,
  parent_id: isText,
  attachments: (value) => Array.isArray(value) && value.every(isJson),
  think: isBoolean,
  rag: (value) => isBoolean(value) || value === 'agent',
}

const completionTypes: Types = {
  model: isText,
  messages: (value) => Array.isArray(value) && value.every(isMessage),
  temperature: (value) => isNumber(value) && value >= 0 && value <= 2,
  max_tokens: Number.isInteger,
  top_p: isNumber,
  stream: isBoolean,
  stop: (value) => isText(value) || isTextList(value),
}

function isMessage(value: unknown): boolean {
  const { role, content } = asJson(value)
  return isJson(value) && isText(role) && (isText(content) || Array.isArray(content))
}

/** Refuses a field of another type. `null` counts as absent. */
export function refuseWrongTypes(types: Types, body: Json, status = 422): void {
  const wrong = Object.entries(types).find(
    ([name, fits]) => !fits(body[name]) && body[name] != null,
  )
  if (wrong !== undefined) throw new Refusal(status, `${wrong[0]}: wrong type`)
}

/** The body of a generation; refuses a listed field of another type, and both tool lists. */
export function generationBody(call: Call): Json {
  const body = bodyOf(call)
  refuseWrongTypes(generationTypes, body)
  const both = body['include_tools'] !== undefined && body['exclude_tools'] !== undefined
  if (both && call.rules.refusesBothLists) throw new Refusal(418, 'one tool list only')
  if (!isText(body['model_id'])) throw new Refusal(422, 'model_id: required')
  if (!models.includes(body['model_id'])) throw new Refusal(422, 'model_id: unknown')
  return body
}

const models = ['SVC-Main', 'svc-main-model', 'SVC-Vision']

/** Every generation must name an assistant. */
export function checkAssistant(body: Json): void {
  const assistant = body['assistant_id']
  if (assistant === undefined) throw new Refusal(422, 'field assistant_id is required')
  const assistantIds: readonly unknown[] = [...Object.values(assistants), null, 'searcher']
  if (!assistantIds.includes(assistant)) throw new Refusal(422, 'assistant_id: no such assistant')
}

/** The items of an input and its number of pictures. */
export function readInput(input: unknown): { readonly items: Json[]; readonly images: number } {
  const given = isText(input) ? [{ role: 'user', content: input }] : asList(input)
  const items = given.map((value) => {
    const item = asJson(value)
    if (item['type'] !== undefined && item['type'] !== 'message') return item
    const { content } = item
    const parts = isText(content) ? [{ type: 'input_text', text: content }] : content
    return { ...item, type: 'message', content: parts }
  })
  if (items.length === 0) throw new Refusal(422, 'input: required')
  const parts = items.flatMap(({ content }: Json) => asList(content)).map(asJson)
  return { items, images: parts.filter(({ type }) => type === 'input_image').length }
}

/** The parts of an answer are pieces of one text, those of an input are not. */
export function textsOf(items: readonly Json[]): string[] {
  return items.map(({ role, content }) => joined(content, role === 'assistant' ? '' : ' '))
}

function joined(parts: unknown, separator: string): string {
  return asList(parts)
    .map((part) => asText(asJson(part)['text']))
    .join(separator)
}

export type Turn = ReturnType<typeof buildTurn>

/** Settings of a request and the texts that the model reads, oldest first; it answers the last one. */
export function buildTurn(
  { state }: Call,
  body: Json,
  rest: { readonly texts: readonly string[]; readonly images: number; readonly rag: unknown },
) {
  const { max_tokens: maxTokens, stop, include_tools: included = toolNames } = body
  const excluded = asList(body['exclude_tools'])
  return {
    ...rest,
    body,
    stream: body['stream'] === true,
    think: body['think'] === true,
    model: asText(body['model_id'] ?? body['model']),
    maxTokens: isNumber(maxTokens) ? maxTokens : undefined,
    stops: isText(stop) ? [stop] : asList(stop).map(asText),
    tools: toolNames.filter((tool) => asList(included).includes(tool) && !excluded.includes(tool)),
    bases: basesOf(body, [...state.bases.values()]),
  }
}

function basesOf(body: Json, all: readonly KnowledgeBase[]): readonly KnowledgeBase[] {
  if (body['assistant_id'] === assistants.withKnowledge) return all.slice(0, 1)
  if (body['assistant_id'] !== 'searcher') return []
  return all.filter(({ id }) => body['kb_id'] === undefined || body['kb_id'] === id)
}

export function listModels(): Json {
  return { catalog: models.map((id) => ({ id, description: 'A model of the harbour' })) }
}

export async function complete(call: Call): Promise<unknown> {
  const body = bodyOf(call)
  refuseWrongTypes(completionTypes, body, 400)
  const messages = asList(body['messages']).map(asJson)
  if (!isText(body['model']) || messages.length === 0) {
    throw new Refusal(400, 'model and messages are required')
  }
  const unsupported = ['tools', 'response_format', 'n'].find((name) => body[name] !== undefined)
  if (unsupported !== undefined) throw new Refusal(400, `${unsupported}: not supported`)
  if (!models.includes(body['model'])) throw new Refusal(404, 'no such model')
  const texts = messages.map(({ content }) => (isText(content) ? content : joined(content, ' ')))
  const turn = buildTurn(call, body, { texts, images: 0, rag: false })
  const answer = runModel(turn)
  return turn.stream ? sendChunks(call, chunksOf(answer, turn)) : completion(answer, turn)
}

function head({ model }: Turn, object: string): Json {
  const created = Math.floor(Date.now() / 1000)
  return { id: `c:${randomUUID()}`, object, created, model }
}

function usageOf({ tokens }: Answer, { texts }: Turn): Json {
  const prompt_tokens = texts.flatMap(tokensOf).length
  return { prompt_tokens, completion_tokens: tokens, total_tokens: prompt_tokens + tokens }
}

function completion(answer: Answer, turn: Turn): Json {
  const message = { role: 'assistant', content: answer.text, mood: 'calm' }
  const finish_reason = answer.cut ? 'length' : 'stop'
  const choices = [{ finish_reason, message, index: 0 }]
  return { ...head(turn, 'chat.completion'), choices, usage: usageOf(answer, turn) }
}

function chunksOf(answer: Answer, turn: Turn): Json[] {
  const common = head(turn, 'chat.completion.chunk')
  const choice = (delta: Json, finish_reason: string | null = null) => ({
    ...common,
    choices: [{ index: 0, delta, finish_reason }],
  })
  const pieces = answer.text.match(/[\s\S]{1,17}/gu) ?? []
  const hasUsage = asJson(turn.body['stream_options'])['include_usage'] === true
  return [
    choice({ role: 'assistant', content: null }),
    ...pieces.map((content) => choice({ content })),
    choice({}, answer.cut ? 'length' : 'stop'),
    ...(hasUsage ? [{ ...common, choices: [], usage: usageOf(answer, turn) }] : []),
  ]
}
